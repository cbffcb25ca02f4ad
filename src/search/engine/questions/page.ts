// Page of a search: the ids of its listings with their sort values, and how many there are in all.

import type { SortValue } from '../../../http/input/cursor.ts';
import { lowerBound } from '../../../lib/lower-bound.ts';
import type { Task } from '../../../lib/scheduler.ts';
import type { SearchPlan } from '../../query/plan.ts';
import { ORDER_COLUMNS } from '../columns/columns.ts';
import { idOf } from '../columns/ids.ts';
import { BLOCK_ROWS, type Columns, type Order, type Segment, type Table } from '../columns/segment.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { FirstRows, type RankedRow, Ranking, toSortValue } from './ranking.ts';
import { type Filter, narrowLive, type Part, partsOf, scanRows } from './scan.ts';

/** A listing on a page. */
export interface FoundId {
  readonly id: string;
  readonly version: number;
  /** What it was sorted by. */
  values(): readonly SortValue[];
}

export interface FoundPage {
  /** At most one more than the page holds, in the order of the walk: backwards if its cursor leads back. */
  readonly found: readonly FoundId[];
  /** Null for a search that asks for none, where it was not counted along. */
  readonly total: number | null;
}

/** How a page that an order of the segment serves is found. */
export interface PageBounds {
  /** From more results on, it is found along the order. */
  readonly ranked: number;
  /** Rows of the order that one without a total is looked for among; where it takes more, zones of blocks find it sooner. */
  readonly walked: number;
}

const BOUNDS: PageBounds = { ranked: 16_384, walked: 16_384 };

/** The page after the plan's cursor, of `limit` rows at most. `bounds`: others, for tests. */
export async function findPage(
  plan: SearchPlan,
  search: PreparedSearch,
  limit: number,
  bounds = BOUNDS,
): Promise<FoundPage> {
  const ranking = new Ranking(plan, search);
  const { table } = search;
  const order = orderFor(plan, table.base);
  const idsOf = (rows: readonly RankedRow[]) => rows.map((row) => foundId(row, plan, ranking));
  if (order !== undefined && plan.count === 'none') {
    const rows = await rankAlong(order, plan, ranking, search, limit, bounds.walked);
    if (rows !== null) return { found: idsOf(rows), total: null };
  }
  const max = order === undefined ? Number.POSITIVE_INFINITY : bounds.ranked;
  const first = new FirstRows(ranking, limit);
  const total = await rankParts(partsOf(table), search, first, max);
  const isRanked = order === undefined || total <= max;
  const rows = isRanked ? first.rows : await rankAlong(order, plan, ranking, search, limit);
  return { found: idsOf(rows ?? []), total };
}

function foundId({ columns, row, keys }: RankedRow, { order }: SearchPlan, { direction }: Ranking): FoundId {
  const values = (): SortValue[] => order.map((term, at) => toSortValue(keys[at] as number, term, direction));
  return { id: idOf(columns, row), version: columns.versions[row] as number, values };
}

/** Counts the rows that pass, and ranks them as long as there are no more than `max`. */
async function rankParts(
  parts: readonly Part[],
  { filters, task }: PreparedSearch,
  first: FirstRows,
  max = Number.POSITIVE_INFINITY,
): Promise<number> {
  let total = 0;
  const rank = (columns: Columns) => (rows: Uint32Array, count: number) => {
    total += count;
    if (total <= max) first.offer(columns, rows, count);
  };
  await scanRows(parts, filters, rank, task);
  return total;
}

/** The first rows of the segment along an order, merged with those of the tail; null: they are not among its next `max`. */
async function rankAlong(
  order: Order,
  plan: SearchPlan,
  ranking: Ranking,
  search: PreparedSearch,
  limit: number,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly RankedRow[] | null> {
  const { table, filters, task } = search;
  const how = { filters: filters(table.base), limit, max, task };
  const walked = await walkOrder(ranking, order, plan, table, how);
  if (walked === null) return null;
  const [, tail] = partsOf(table);
  const first = new FirstRows(ranking, limit);
  await rankParts([tail], search, first);
  return [...walked, ...first.rows].sort((a, b) => ranking.compare(a, b)).slice(0, limit);
}

/** The order in which the segment has the rows of a search by one key. */
function orderFor({ order: [term, ...others] }: SearchPlan, base: Segment): Order | undefined {
  const key = ORDER_COLUMNS.find((column) => column === term?.key);
  return key === undefined || others.length > 0 ? undefined : base.orders[key];
}

interface Walk {
  readonly filters: readonly Filter[];
  readonly limit: number;
  /** Rows to look at. */
  readonly max: number;
  readonly task: Task;
}

/**
 * The first rows that pass, along an order from the cursor on; null where more rows would have to be looked at. A task, since those
 * that pass may stand at its end.
 */
async function walkOrder(
  ranking: Ranking,
  order: Order,
  plan: SearchPlan,
  { base, baseRemoved }: Table,
  { filters, limit, max, task }: Walk,
): Promise<RankedRow[] | null> {
  const isFalling = plan.order[0]?.descending === true;
  const { length } = order.rows;
  const rowAt = (place: number): number => order.rows[placeIn(order, isFalling, place)] as number;
  const isBackwards = ranking.direction === -1;
  const step = isBackwards ? -1 : 1;
  let place = startPlace(ranking, base, rowAt, length, isBackwards);
  const found: RankedRow[] = [];
  const rows = new Uint32Array(BLOCK_ROWS);
  const cheapestFirst = [...filters].sort((a, b) => a.cost - b.cost);
  const atOnce = Math.min(BLOCK_ROWS, ...filters.map((filter) => filter.rowsAtOnce ?? BLOCK_ROWS));
  let left = max;
  for (
    let chunk = Math.min(64, atOnce);
    found.length < limit && place >= 0 && place < length;
    chunk = atOnce
  ) {
    if (left <= 0) return null;
    left -= chunk;
    let count = 0;
    for (; count < chunk && place >= 0 && place < length; place += step) rows[count++] = rowAt(place);
    count = narrowLive(baseRemoved, rows, count);
    for (const filter of cheapestFirst) count = filter.narrow(rows, count);
    if (task.shouldYield()) await task.yield();
    for (let at = 0; at < count && found.length < limit; at++)
      found.push(ranking.rowAt(base, rows[at] as number));
  }
  return found;
}

/** Where in an order the row stands that has this place in the results: known values in their direction, then unknown ones. */
function placeIn({ rows, known }: Order, isFalling: boolean, place: number): number {
  if (!isFalling) return place;
  return place < known ? known - 1 - place : rows.length - 1 - (place - known);
}

/** The place of the first row ahead of the cursor: those ahead follow it, or precede it on the way back. */
function startPlace(
  ranking: Ranking,
  base: Segment,
  rowAt: (place: number) => number,
  length: number,
  isBackwards: boolean,
): number {
  const isAhead = (place: number): boolean => ranking.isAhead(ranking.rowAt(base, rowAt(place)));
  const place = lowerBound(length, (at) => isAhead(at) === isBackwards);
  return isBackwards ? place - 1 : place;
}
