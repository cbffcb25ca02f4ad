// Proves that a filter means what OData says, for any tree of conditions, and that nonsense is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Comparison, type Expression, parseFilter } from './filter.ts';
import type { Literal } from './filter-tokens.ts';
import { type Column, type Columns, compileFilter, type Scalar } from './match.ts';
import { ODataError } from './problem.ts';

interface Row {
  readonly City: string | null;
  readonly ListPrice: number | null;
  readonly WaterfrontYN: boolean | null;
  readonly ModificationTimestamp: number;
}

const TYPES: Readonly<Record<keyof Row, Column<Row>['type']>> = {
  City: 'String',
  ListPrice: 'Decimal',
  WaterfrontYN: 'Boolean',
  ModificationTimestamp: 'DateTimeOffset',
};

const columns: Columns<Row> = (name) => {
  if (!Object.hasOwn(TYPES, name)) throw new ODataError(400, 'BadRequest', `no ${name}`);
  const field = name as keyof Row;
  return { name, type: TYPES[field], many: false, read: (row) => row[field] };
};

const texts = fc.constantFrom('', "O'Hara", 'Port Calder', "''", 'and', 'null', 'a(b),c', 'é✓');
const numbers = fc.constantFrom(-3, 0, 0.5, 250_000, 1e7);
const instants = fc.constantFrom(0, 1_750_000_000_000, 1_750_000_000_001, 1_760_000_000_000);

const rows: fc.Arbitrary<Row> = fc.record({
  City: fc.option(texts),
  ListPrice: fc.option(numbers),
  WaterfrontYN: fc.option(fc.boolean()),
  ModificationTimestamp: instants,
});

const comparisons = fc.constantFrom<Comparison>('eq', 'ne', 'gt', 'ge', 'lt', 'le');
const nothing: Literal = { type: 'null', value: null };

const operands: fc.Arbitrary<{ field: string; literal: Literal }> = fc.oneof(
  fc.record({
    field: fc.constant('City'),
    literal: texts.map((value): Literal => ({ type: 'string', value })),
  }),
  fc.record({
    field: fc.constant('ListPrice'),
    literal: numbers.map((value): Literal => ({ type: 'number', value })),
  }),
  fc.record({
    field: fc.constant('WaterfrontYN'),
    literal: fc.boolean().map((value): Literal => ({ type: 'boolean', value })),
  }),
  fc.record({
    field: fc.constant('ModificationTimestamp'),
    literal: instants.map((value): Literal => ({ type: 'instant', value })),
  }),
  fc.record({ field: fc.constantFrom('City', 'ListPrice', 'WaterfrontYN'), literal: fc.constant(nothing) }),
);

const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .record({ operand: operands, operator: comparisons })
      .map(({ operand, operator }): Expression => ({ kind: 'compare', operator, ...operand })),
    fc.array(texts, { minLength: 1, maxLength: 4 }).map(
      (values): Expression => ({
        kind: 'in',
        field: 'City',
        literals: values.map((value) => ({ type: 'string', value })),
      }),
    ),
    fc
      .record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        parts: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
      })
      .map((node): Expression => node),
    tie('tree').map((part): Expression => ({ kind: 'not', part })),
  ),
}));

function written(literal: Literal): string {
  if (literal.type === 'string') return `'${literal.value.replaceAll("'", "''")}'`;
  return literal.type === 'instant' ? new Date(literal.value).toISOString() : String(literal.value);
}

/** The expression as text, with every part in parentheses. */
function print(expression: Expression): string {
  switch (expression.kind) {
    case 'compare':
      return `${expression.field}  ${expression.operator} ${written(expression.literal)}`;
    case 'in':
      return `${expression.field} in (${expression.literals.map(written).join(' , ')})`;
    case 'not':
      return `not (${print(expression.part)})`;
    default:
      return expression.parts.map((part) => `(${print(part)})`).join(` ${expression.kind} `);
  }
}

/** What OData says a filter means, without any of the code under test. */
function holds(expression: Expression, row: Row): boolean {
  switch (expression.kind) {
    case 'and':
      return expression.parts.every((part) => holds(part, row));
    case 'or':
      return expression.parts.some((part) => holds(part, row));
    case 'not':
      return !holds(expression.part, row);
    case 'in':
      return expression.literals.some((literal) => literal.value === row[expression.field as keyof Row]);
    default:
      return compare(row[expression.field as keyof Row], expression.operator, expression.literal.value);
  }
}

function compare(found: Scalar, operator: Comparison, value: Scalar): boolean {
  if (operator === 'eq') return found === value;
  if (operator === 'ne') return found !== value;
  if (found === null || value === null) return false;
  return { gt: found > value, ge: found >= value, lt: found < value, le: found <= value }[operator];
}

test('a printed filter is read back with the same meaning for every row', () => {
  fc.assert(
    fc.property(tree, fc.array(rows, { minLength: 1, maxLength: 8 }), (expression, sample) => {
      const matches = compileFilter(parseFilter(print(expression)), columns);
      for (const row of sample) assert.equal(matches(row), holds(expression, row), print(expression));
    }),
    { numRuns: 400 },
  );
});

test('and binds more tightly than or, and parentheses more tightly than both', () => {
  const row: Row = { City: 'a', ListPrice: 1, WaterfrontYN: null, ModificationTimestamp: 0 };
  const matches = (text: string): boolean => compileFilter(parseFilter(text), columns)(row);
  assert.equal(matches("City eq 'a' or City eq 'b' and ListPrice eq 2"), true);
  assert.equal(matches("(City eq 'a' or City eq 'b') and ListPrice eq 2"), false);
});

test('no text makes the parser fail in any other way than with a 400', () => {
  const pieces = fc.constantFrom(
    'City',
    'eq',
    "'a'",
    "'",
    '(',
    ')',
    ',',
    'in',
    'not',
    'and',
    'or',
    '1',
    '2024-02-30',
    'null',
    '$',
    ' ',
  );
  const mixtures = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(mixtures, (text) => {
      try {
        compileFilter(parseFilter(text), columns);
      } catch (error) {
        assert.ok(error instanceof ODataError && error.status === 400, String(error));
      }
    }),
    { numRuns: 1000 },
  );
});

test('a filter that is cut off, compares other types or is nested too deep is refused', () => {
  const nested = `${'('.repeat(60)}City eq 'a'${')'.repeat(60)}`;
  const faulty = [
    '',
    'City',
    'City eq',
    "City eq 'a' and",
    "City like 'a'",
    "City eq 'a' City eq 'b'",
    'City eq 4',
    "ListPrice gt '4'",
    "ModificationTimestamp ge '2024-01-01T00:00:00Z'",
    'ModificationTimestamp ge 2024-02-30T00:00:00Z',
    'City in ()',
    "Nowhere eq 'a'",
    nested,
  ];
  for (const text of faulty) {
    assert.throws(() => compileFilter(parseFilter(text), columns), ODataError, text);
  }
});
