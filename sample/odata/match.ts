// Evaluation of $filter and $orderby over the rows of any resource.
import type { Comparison, Expression } from './filter.ts';
import type { Literal } from './filter-tokens.ts';
import { badRequest } from './problem.ts';

export type Scalar = string | number | boolean | null;

/** How one column of a resource is compared. */
export interface Column<Row> {
  readonly name: string;
  readonly type: 'Boolean' | 'Date' | 'DateTimeOffset' | 'Decimal' | 'Int64' | 'String';
  readonly many: boolean;
  /** Comparable value: instants as milliseconds. */
  readonly read: (row: Row) => Scalar;
  /** Whether two spellings of an enumeration mean the same value. */
  readonly same?: (value: string, literal: string) => boolean;
}

export type Columns<Row> = (name: string) => Column<Row>;

const LITERALS: Readonly<Record<Column<unknown>['type'], readonly Literal['type'][]>> = {
  Boolean: ['boolean'],
  Date: ['date'],
  DateTimeOffset: ['instant'],
  Decimal: ['number'],
  Int64: ['number'],
  String: ['string'],
};

/** Turns a filter into a test of rows; 400 for unknown fields and for values of another type. */
export function compileFilter<Row>(expression: Expression, columns: Columns<Row>): (row: Row) => boolean {
  switch (expression.kind) {
    case 'and': {
      const parts = expression.parts.map((part) => compileFilter(part, columns));
      return (row) => parts.every((part) => part(row));
    }
    case 'or': {
      const parts = expression.parts.map((part) => compileFilter(part, columns));
      return (row) => parts.some((part) => part(row));
    }
    case 'not': {
      const part = compileFilter(expression.part, columns);
      return (row) => !part(row);
    }
    case 'in': {
      const parts = expression.literals.map((literal) =>
        compileComparison(expression.field, 'eq', literal, columns),
      );
      return (row) => parts.some((part) => part(row));
    }
    default:
      return compileComparison(expression.field, expression.operator, expression.literal, columns);
  }
}

function compileComparison<Row>(
  name: string,
  operator: Comparison,
  literal: Literal,
  columns: Columns<Row>,
): (row: Row) => boolean {
  const column = columns(name);
  if (column.many) throw badRequest(`$filter: ${name} holds a list and cannot be compared`);
  if (literal.type !== 'null' && !LITERALS[column.type].includes(literal.type)) {
    throw badRequest(
      `$filter: ${name} is of type Edm.${column.type}, but is compared with a ${literal.type}`,
    );
  }
  const { read, same } = column;
  const { value } = literal;
  const equal =
    same && typeof value === 'string'
      ? (row: Row) => {
          const found = read(row);
          return typeof found === 'string' && same(found, value);
        }
      : (row: Row) => read(row) === value;
  if (operator === 'eq') return equal;
  if (operator === 'ne') return (row) => !equal(row);
  return (row) => inOrder(read(row), operator, value);
}

/** Null is neither before nor after anything. */
function inOrder(found: Scalar, operator: Comparison, value: Scalar): boolean {
  if (found === null || value === null) return false;
  const order = compareScalars(found, value);
  switch (operator) {
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
    case 'lt':
      return order < 0;
    default:
      return order <= 0;
  }
}

/** Total order for sorting: null first, false before true. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
