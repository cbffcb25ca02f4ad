// Fact scan: the rows of a scope among the facts in memory, the group of each, and visits to them.

import type { Task } from '../lib/scheduler.ts';
import { rowsOfAreas } from '../search/engine/questions/area-filter.ts';
import { compileFilters } from '../search/engine/questions/prepared-search.ts';
import { type Filter, scanRows } from '../search/engine/questions/scan.ts';
import { EVENT, type FactPart } from './facts/fact-columns.ts';
import type { Facts } from './facts/fact-writer.ts';
import type { ListingScope } from './store.ts';
import type { WallTime } from './wall-time.ts';

/** Rows of one part of a table, ascending. */
export interface PartRows {
  readonly part: FactPart;
  readonly rows: Uint32Array;
}

/** The rows of a scope. */
export async function scopeRows(
  { dictionaries, tables }: Facts,
  { search: { plan, resolved } }: ListingScope,
  task: Task,
): Promise<PartRows[]> {
  const others = plan.conditions.filter(({ kind }) => kind !== 'areas');
  const inAreas = others.length < plan.conditions.length;
  const scoped: PartRows[] = [];
  for (const part of tables[plan.listingType]) {
    const candidates =
      inAreas && part.areas !== null ? await task.run(rowsOfAreas(part.areas, resolved.areaNos)) : null;
    if (candidates?.length === 0) continue;
    // What was appended lately has no index of areas.
    const conditions = candidates === null ? plan.conditions : others;
    const found = new RowList();
    await scanRows(
      [part],
      (columns) => {
        const filters = compileFilters(conditions, plan.ignoreDisplayRules, columns, {
          dictionaries,
          areaNos: resolved.areaNos,
          startedAt: plan.startedAt,
          areaRows: () => null,
          matchText: () => {
            throw new Error('Words are not held');
          },
        });
        return candidates === null ? filters : [...filters, rowsFilter(candidates)];
      },
      () => (rows, count) => found.add(rows, count),
      task,
    );
    const rows = found.rows();
    if (rows.length > 0) scoped.push({ part, rows });
  }
  return scoped;
}

class RowList {
  #rows = new Uint32Array(64);
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
  cost: 0,
  candidates,
  narrow: (_rows, count) => count,
});

/** Groups by number, and the number of the group of each row. */
export interface GroupedRows {
  readonly groups: readonly (readonly (string | number | null)[])[];
  /** In the order of the rows. */
  readonly numbers: Uint32Array;
}

/** The groups that rows fall into; without groupings they are all one. */
export async function groupRows(
  { dictionaries }: Facts,
  { groupBy }: ListingScope,
  scoped: readonly PartRows[],
  task: Task,
): Promise<GroupedRows> {
  const numbers = new Uint32Array(countRows(scoped));
  if (groupBy.length === 0) return { groups: [[]], numbers };
  const [byType, byBedrooms] = [groupBy.includes('propertyType'), groupBy.includes('bedrooms')];
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
  const visitor = ({ columns }: FactPart) => {
    const types = byType ? columns.codes.propertyType : undefined;
    const rooms = byBedrooms ? columns.numbers.bedrooms : undefined;
    return (row: number, at: number): void => {
      const code = types?.[row] ?? 0;
      const bedrooms = rooms?.[row] ?? Number.NaN;
      numbers[at] = known.get(code)?.get(bedrooms) ?? addGroup(code, bedrooms);
    };
  };
  await visitRows(scoped, visitor, task);
  return { groups, numbers };
}

export const countRows = (scoped: readonly PartRows[]): number =>
  scoped.reduce((sum, { rows }) => sum + rows.length, 0);

/** Does something with a row; `at`: its position among all of them. */
type RowVisit = (row: number, at: number) => void;

/** Visits of the rows of a part. */
export type RowVisitor = (part: FactPart) => RowVisit;

/** Rows between two looks at the clock: one of many periods may take more than a tenth of a millisecond. */
const ROWS = 8;

/** Visits each of the rows with what `visitor` makes for its part; so many `rowsAtOnce` where each takes little. */
export async function visitRows(
  scoped: readonly PartRows[],
  visitor: RowVisitor,
  task: Task,
  rowsAtOnce = ROWS,
): Promise<void> {
  let at = 0;
  for (const { part, rows } of scoped) {
    const visit = visitor(part);
    for (const row of rows) {
      visit(row, at++);
      if (at % rowsAtOnce === 0 && task.shouldYield()) await task.yield();
    }
  }
}

/** The local time of an event, whose values begin there. One that is known only by its day has that day in every time zone. */
export function eventWall(values: Float64Array, event: number, wall: WallTime): number {
  const known = values[event + EVENT.day] as number;
  return Number.isNaN(known) ? wall(values[event + EVENT.at] as number) : known;
}
