// Keyset paging: one page of the rows that match, continued after the last row seen rather than after a number of rows,
// so that rows which do not change are met exactly once while others come, go and move.
import { type Columns, compareScalars, compileFilter, type Scalar } from './match.ts';
import type { Query } from './options.ts';
import { badRequest } from './problem.ts';

export const DEFAULT_PAGE = 200;
export const MAX_PAGE = 1000;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Set when more rows follow. */
  readonly skipToken: string | null;
  /** The position behind the last row, whether or not more follow; null without rows. */
  readonly lastToken: string | null;
  /** All rows that match, on this page or not; null unless asked for. */
  readonly count: number | null;
}

/** The position of a walk: sort values of the last row, rows handed out so far, and the page size it began with. */
interface Position {
  readonly after: readonly Scalar[];
  readonly served: number;
  readonly size: number;
}

interface Sortable<Row> {
  readonly row: Row;
  readonly values: readonly Scalar[];
}

/** `keyField` settles ties and is the order when none is asked for; `maxSize` bounds the size that is wanted. */
export function takePage<Row>(
  rows: Iterable<Row>,
  query: Query,
  columns: Columns<Row>,
  keyField: string,
  wantedSize: number | null,
  maxSize = MAX_PAGE,
): Page<Row> {
  const matches = query.filter ? compileFilter(query.filter, columns) : () => true;
  const order = [...query.orderBy, { field: keyField, descending: false }];
  const readers = order.map(({ field }) => columns(field).read);
  const compare = (a: readonly Scalar[], b: readonly Scalar[]): number => {
    for (let i = 0; i < order.length; i += 1) {
      const sign = compareScalars(a[i] ?? null, b[i] ?? null);
      if (sign !== 0) return order[i]?.descending ? -sign : sign;
    }
    return 0;
  };
  const position = query.skipToken === null ? null : readPosition(query.skipToken, order.length);
  const size = Math.min(wantedSize ?? position?.size ?? DEFAULT_PAGE, maxSize);
  const served = position?.served ?? 0;
  const room = Math.min(size, query.top === null ? size : Math.max(0, query.top - served));
  const best: Sortable<Row>[] = [];
  const trim = (): void => {
    best.sort((a, b) => compare(a.values, b.values));
    best.length = Math.min(best.length, room + 1);
  };
  let count = 0;
  for (const row of rows) {
    if (!matches(row)) continue;
    count += 1;
    const values = readers.map((read) => read(row));
    if (position && compare(values, position.after) <= 0) continue;
    best.push({ row, values });
    if (best.length > 4 * (room + 1)) trim();
  }
  trim();
  const page = best.slice(0, room);
  const last = page.at(-1);
  const total = served + page.length;
  const lastToken = last === undefined ? null : writePosition({ after: last.values, served: total, size });
  const more = best.length > room && last !== undefined && (query.top === null || total < query.top);
  return {
    rows: page.map((entry) => entry.row),
    skipToken: more ? lastToken : null,
    lastToken,
    count: query.count ? count : null,
  };
}

function writePosition({ after, served, size }: Position): string {
  return Buffer.from(JSON.stringify([after, served, size])).toString('base64url');
}

/** How many rows came before the page of a token; 400 for what is none. */
export function servedBefore(token: string): number {
  const [, served] = readParts(token);
  return Number(served);
}

const readParts = (token: string): unknown[] => {
  const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
  return Array.isArray(parts) ? parts : [];
};

function readPosition(token: string, length: number): Position {
  try {
    const [after, served, size] = readParts(token);
    if (
      !Array.isArray(after) ||
      after.length !== length ||
      !Number.isInteger(served) ||
      !Number.isInteger(size)
    ) {
      throw new TypeError('another shape');
    }
    return { after: after as Scalar[], served: served as number, size: size as number };
  } catch (cause) {
    const problem = badRequest('$skiptoken: follow @odata.nextLink as it was given');
    problem.cause = cause;
    throw problem;
  }
}
