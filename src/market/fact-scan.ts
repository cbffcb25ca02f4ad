// Fact scan: the rows of a scope among the facts in memory, and the group of each.

import { nextTurn } from '../lib/clock.ts';
import { compileFilters } from '../search/engine/questions/compile-filters.ts';
import type { Filter } from '../search/engine/questions/filter.ts';
import { Pace } from '../search/engine/questions/pace.ts';
import { scanRows } from '../search/engine/questions/scan.ts';
import type { FactTable } from './facts/fact-columns.ts';
import type { Facts } from './facts/fact-writer.ts';
import { isHeldSearch } from './facts/held-columns.ts';
import type { FigureReads } from './market-scope.ts';
import type { ListingScope } from './store.ts';

/** The facts in memory; null where PostgreSQL has to answer: they are not there, or not enough to filter by. */
export const findFacts = async (
  { facts, signal }: FigureReads,
  { search }: ListingScope,
): Promise<Facts | null> => (isHeldSearch(search) ? facts.current(signal) : null);

/** The rows of a scope, ascending. */
export async function scopeRows(
  { dictionaries, tables }: Facts,
  { search: { plan, resolved } }: ListingScope,
  signal?: AbortSignal,
): Promise<Uint32Array> {
  const table = tables[plan.listingType];
  const inAreas = plan.conditions.some(({ kind }) => kind === 'areas');
  const others = plan.conditions.filter(({ kind }) => kind !== 'areas');
  const found = new RowList();
  await scanRows(
    [table],
    (columns) => {
      const filters = compileFilters(others, plan.ignoreDisplayRules, columns, {
        ...{ dictionaries, areaNos: resolved.areaNos, startedAt: plan.startedAt },
        matchText: () => {
          throw new Error('Words are not held');
        },
      });
      return inAreas ? [...filters, rowsFilter(rowsOfAreas(table, resolved.areaNos))] : filters;
    },
    () => (rows, count) => found.add(rows, count),
    new Pace({ signal }),
  );
  return found.rows();
}

class RowList {
  #rows = new Uint32Array(1_024);
  #count = 0;

  add(rows: Uint32Array, count: number): void {
    if (this.#count + count > this.#rows.length) {
      const longer = new Uint32Array(2 * (this.#count + count));
      longer.set(this.#rows);
      this.#rows = longer;
    }
    this.#rows.set(rows.subarray(0, count), this.#count);
    this.#count += count;
  }

  rows(): Uint32Array {
    return this.#rows.subarray(0, this.#count);
  }
}

/** None but these rows. */
const rowsFilter = (candidates: Uint32Array): Filter => ({
  ...{ cost: 0, candidates },
  narrow: (_rows, count) => count,
});

/** The rows of any of the areas, ascending. */
function rowsOfAreas(table: FactTable, nos: readonly number[]): Uint32Array {
  const [only, ...others] = [...new Set(nos)].map((no) => table.rowsOfArea(no));
  if (only === undefined) return new Uint32Array(0);
  if (others.length === 0) return only;
  const isMember = new Uint8Array(table.columns.rows);
  for (const rows of [only, ...others]) for (const row of rows) isMember[row] = 1;
  let count = 0;
  for (const each of isMember) count += each;
  const union = new Uint32Array(count);
  let end = 0;
  for (let row = 0; row < isMember.length; row++) if (isMember[row] === 1) union[end++] = row;
  return union;
}

/** Groups by number, and the number of the group of each row. */
export interface GroupedRows {
  readonly groups: readonly (readonly (string | number | null)[])[];
  /** In the order of the rows. */
  readonly numbers: Uint32Array;
}

/** The groups that rows fall into; without groupings they are all one. */
export async function groupRows(
  { dictionaries, tables }: Facts,
  { listingType, groupBy }: ListingScope,
  rows: Uint32Array,
  signal?: AbortSignal,
): Promise<GroupedRows> {
  const numbers = new Uint32Array(rows.length);
  if (groupBy.length === 0) return { groups: [[]], numbers };
  const { codes, numbers: columns } = tables[listingType].columns;
  const byType = groupBy.includes('propertyType') ? codes.propertyType : undefined;
  const byBedrooms = groupBy.includes('bedrooms') ? columns.bedrooms : undefined;
  const groups: (string | number | null)[][] = [];
  /** By property type, and then by bedrooms. */
  const known = new Map<number, Map<number, number>>();
  const addGroup = (code: number, bedrooms: number): number => {
    const type = code === 0 ? null : dictionaries.propertyType.word(code);
    const rooms = Number.isNaN(bedrooms) ? null : bedrooms;
    const group = groups.push(groupBy.map((name) => (name === 'bedrooms' ? rooms : type))) - 1;
    known.set(code, (known.get(code) ?? new Map<number, number>()).set(bedrooms, group));
    return group;
  };
  const visit = (row: number, at: number): void => {
    const code = byType?.[row] ?? 0;
    const bedrooms = byBedrooms?.[row] ?? Number.NaN;
    numbers[at] = known.get(code)?.get(bedrooms) ?? addGroup(code, bedrooms);
  };
  await visitRows(rows, visit, signal);
  return { groups, numbers };
}

/** Rows after which others get their turn: a few milliseconds. */
const TURN = 8_192;

/** Calls `visit` for each of the rows and its place among them, and lets others have their turn in between. */
export async function visitRows(
  rows: Uint32Array,
  visit: (row: number, at: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < rows.length; from += TURN) {
    if (from > 0) await nextTurn();
    signal?.throwIfAborted();
    const end = Math.min(from + TURN, rows.length);
    for (let at = from; at < end; at++) visit(rows[at] as number, at);
  }
}
