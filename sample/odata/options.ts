// Query options: reads $filter, $orderby, $select, $expand, $top, $count and $skiptoken, and refuses the rest.
import { type Expression, parseFilter } from './filter.ts';
import { badRequest } from './problem.ts';

export interface Order {
  readonly field: string;
  readonly descending: boolean;
}

export interface Query {
  readonly filter: Expression | null;
  readonly orderBy: readonly Order[];
  /** null: every field. */
  readonly select: readonly string[] | null;
  /** Navigation property -> most rows of it. */
  readonly expand: ReadonlyMap<string, number>;
  /** Total number of rows over all pages; null: no limit. */
  readonly top: number | null;
  readonly count: boolean;
  readonly skipToken: string | null;
}

const MAX_OPTION_LENGTH = 8000;

/** Reads the query part of an address. `known` are the options of the resource. */
export function readQuery(parameters: URLSearchParams, known: readonly string[]): Query {
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    if (!known.includes(name)) throw badRequest(`${name} is not supported here; known: ${known.join(', ')}`);
    if (seen.has(name)) throw badRequest(`${name} is given twice`);
    if (value.length > MAX_OPTION_LENGTH)
      throw badRequest(`${name} is longer than ${MAX_OPTION_LENGTH} characters`);
    seen.add(name);
  }
  const filter = parameters.get('$filter');
  const select = parameters.get('$select');
  return {
    filter: filter === null ? null : parseFilter(filter),
    orderBy: readOrder(parameters.get('$orderby')),
    select: select === null || select.trim() === '*' ? null : names('$select', select),
    expand: readExpand(parameters.get('$expand')),
    top: readWhole('$top', parameters.get('$top')),
    count: readFlag(parameters.get('$count')),
    skipToken: parameters.get('$skiptoken'),
  };
}

function names(option: string, value: string): string[] {
  const list = value.split(',').map((name) => name.trim());
  if (list.some((name) => name === '')) throw badRequest(`${option}: an empty name`);
  return [...new Set(list)];
}

function readOrder(value: string | null): Order[] {
  if (value === null) return [];
  return value.split(',').map((part) => {
    const [field, direction, ...rest] = part.trim().split(/\s+/);
    if (
      !field ||
      rest.length > 0 ||
      (direction !== undefined && direction !== 'asc' && direction !== 'desc')
    ) {
      throw badRequest(`$orderby: cannot read "${part.trim()}"; write a field, then asc or desc`);
    }
    return { field, descending: direction === 'desc' };
  });
}

/** `Media`, `Media,OpenHouse`, `Media($top=200)`; the order of photos is always theirs, so `$orderby=Order` is welcome. */
function readExpand(value: string | null): Map<string, number> {
  const expand = new Map<string, number>();
  if (value === null) return expand;
  for (const part of value.match(/[^,(]+(?:\([^)]*\))?/g) ?? []) {
    const match = /^\s*(\w+)\s*(?:\(([^)]*)\))?\s*$/.exec(part);
    if (!match?.[1]) throw badRequest(`$expand: cannot read "${part.trim()}"`);
    expand.set(match[1], readExpandOptions(match[2] ?? ''));
  }
  return expand;
}

function readExpandOptions(text: string): number {
  let top = Number.POSITIVE_INFINITY;
  for (const option of text.split(';').filter((part) => part.trim() !== '')) {
    const [name, value] = option.split('=').map((part) => part.trim());
    if (name === '$top') top = readWhole('$expand $top', value ?? '') ?? top;
    else if (name !== '$orderby' || value !== 'Order')
      throw badRequest(`$expand: ${name ?? ''} is not supported inside it`);
  }
  return top;
}

function readWhole(option: string, value: string | null): number | null {
  if (value === null) return null;
  if (!/^\d{1,9}$/.test(value)) throw badRequest(`${option} must be a whole number, 0 or more`);
  return Number(value);
}

function readFlag(value: string | null): boolean {
  if (value !== null && value !== 'true' && value !== 'false')
    throw badRequest('$count must be true or false');
  return value === 'true';
}

/** The page size that a `Prefer` header asks for; null when it asks for none. */
export function preferredPageSize(prefer: string | undefined): number | null {
  const match = /(?:^|[,;\s])(?:odata\.)?maxpagesize\s*=\s*"?(\d{1,9})"?/i.exec(prefer ?? '');
  return match?.[1] === undefined || Number(match[1]) === 0 ? null : Number(match[1]);
}
