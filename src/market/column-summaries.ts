// Column summaries: the sets of a request summed up from the facts in memory, as the statements of store.ts sum them up.

import { nextTurn } from '../lib/clock.ts';
import { type GroupedRows, groupRows, scopeRows, visitRows } from './fact-scan.ts';
import {
  EVENT,
  EVENT_KINDS,
  EVENT_WIDTH,
  type FactTable,
  PERIOD,
  PERIOD_WIDTH,
} from './facts/fact-columns.ts';
import type { Facts } from './facts/fact-writer.ts';
import { type Member, memberOf, SetSummary } from './set-summary.ts';
import type { ListingScope, PeriodSummary, SummaryRequest } from './store.ts';
import { type WallTime, wallTimeOf } from './wall-time.ts';

/** What one request is computed with. */
interface Question {
  readonly table: FactTable;
  readonly wall: WallTime;
  readonly rows: Uint32Array;
  readonly grouped: GroupedRows;
  /** Local times in milliseconds, both ascending. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** The set of a period, by its index, of a kind and group. */
  readonly set: (index: number, kind: number, group: number) => SetSummary;
  readonly signal: AbortSignal | undefined;
}

/** The most values that are collected at once; more periods are gone through in several passes. */
const MOST_VALUES = 4_000_000;
/** Members of sets that are summed up before others get their turn: a few milliseconds. */
const TURN = 20_000;

/** The summaries of each request. */
export async function summarizeFacts(
  facts: Facts,
  listings: ListingScope,
  requests: readonly SummaryRequest[],
  signal?: AbortSignal,
): Promise<PeriodSummary[][]> {
  const rows = await scopeRows(facts, listings, signal);
  const grouped = await groupRows(facts, listings, rows, signal);
  const table = facts.tables[listings.listingType];
  const wall = wallTimeOf(listings.timeZone);
  const passes = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, rows.length)));
  const results: PeriodSummary[][] = [];
  for (const request of requests) {
    const summaries: PeriodSummary[] = [];
    for (let from = 0; from < request.periods.length; from += passes) {
      const part = { ...request, periods: request.periods.slice(from, from + passes) };
      summaries.push(...(await summarize({ table, wall, rows, grouped, signal }, part, from)));
    }
    results.push(summaries);
  }
  return results;
}

async function summarize(
  scope: Pick<Question, 'table' | 'wall' | 'rows' | 'grouped' | 'signal'>,
  { set, kinds, periods, measures }: SummaryRequest,
  first: number,
): Promise<PeriodSummary[]> {
  const { groups } = scope.grouped;
  const kindCount = EVENT_KINDS.length + 1;
  const sets: (SetSummary | undefined)[] = new Array(periods.length * kindCount * groups.length);
  const partsOf = (place: number) => ({
    index: Math.floor(place / groups.length / kindCount),
    kind: Math.floor(place / groups.length) % kindCount,
    group: place % groups.length,
  });
  const question: Question = {
    ...scope,
    starts: Float64Array.from(periods, ({ start }) => Date.parse(start)),
    ends: Float64Array.from(periods, ({ end }) => Date.parse(end)),
    set: (index, kind, group) => {
      const place = (index * kindCount + kind) * groups.length + group;
      const known = sets[place];
      if (known !== undefined) return known;
      const created = new SetSummary(measures);
      sets[place] = created;
      return created;
    },
  };
  if (set === 'inventory') await collectInventory(question);
  else if (set === 'active') await collectActive(question);
  else await collectEvents(question, kinds);
  const summaries: PeriodSummary[] = [];
  let members = 0;
  for (const [place, summed] of sets.entries()) {
    if (summed === undefined) continue;
    const { index, kind, group } = partsOf(place);
    const name = kind === 0 ? set : EVENT_KINDS[kind - 1];
    if (name === undefined || name === 'events' || name === 'relisted') continue;
    summaries.push({
      index: first + index,
      set: name,
      group: groups[group] ?? [],
      summaries: summed.summaries(),
    });
    members += summed.total;
    if (members < TURN) continue;
    members = 0;
    await nextTurn();
    scope.signal?.throwIfAborted();
  }
  return summaries;
}

/** How many of the ascending times are at `at` or before. */
function countUpTo(times: Float64Array, at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the ascending times are before `at`. */
function countBefore(times: Float64Array, at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const DAY = 86_400_000;

/** The listings on the market as each day begins. */
async function collectInventory({ table, wall, rows, grouped, ends, set, signal }: Question): Promise<void> {
  const { offsets, values } = table.periods;
  const sizes = table.columns.numbers.livingArea;
  const member: Member = memberOf();
  await visitRows(
    rows,
    (row, at) => {
      const group = grouped.numbers[at] as number;
      member.livingArea = sizes === undefined ? Number.NaN : (sizes[row] as number);
      const last = offsets[row + 1] as number;
      for (let period = offsets[row] as number; period < last; period += PERIOD_WIDTH) {
        const to = countUpTo(ends, wall(values[period + PERIOD.end] as number));
        let index = countUpTo(ends, wall(values[period + PERIOD.start] as number));
        if (index >= to) continue;
        member.price = values[period + PERIOD.price] as number;
        member.monthsFree = values[period + PERIOD.monthsFree] as number;
        const start = wall(values[period + PERIOD.daysOnMarketStart] as number);
        for (; index < to; index++) {
          member.age = Math.max(0, Math.floor(((ends[index] as number) - start) / DAY));
          set(index, 0, group).add(member);
        }
      }
    },
    signal,
  );
}

const DROP = EVENT_KINDS.indexOf('drop') + 1;

/** The listings that were on the market at any time of each period, and whether their price was lowered in it. */
async function collectActive({
  table,
  wall,
  rows,
  grouped,
  starts,
  ends,
  set,
  signal,
}: Question): Promise<void> {
  const { offsets, values } = table.periods;
  const { events } = table;
  // The place of the last listing that was on the market in each period, and of the last whose price was lowered.
  const listed = new Int32Array(starts.length).fill(-1);
  const dropped = new Int32Array(starts.length).fill(-1);
  const member: Member = memberOf();
  await visitRows(
    rows,
    (row, at) => {
      let [first, end] = [starts.length, 0];
      const last = offsets[row + 1] as number;
      for (let period = offsets[row] as number; period < last; period += PERIOD_WIDTH) {
        const to = countBefore(starts, wall(values[period + PERIOD.end] as number));
        const superseded = wall(values[period + PERIOD.superseded] as number);
        const from = countUpTo(ends, wall(values[period + PERIOD.start] as number));
        for (let index = from; index < to; index++) {
          if (superseded < (ends[index] as number)) break;
          listed[index] = at;
          first = Math.min(first, index);
          end = Math.max(end, index + 1);
        }
      }
      if (first >= end) return;
      const lastEvent = events.offsets[row + 1] as number;
      for (let event = events.offsets[row] as number; event < lastEvent; event += EVENT_WIDTH) {
        if (events.values[event + EVENT.kind] !== DROP) continue;
        const moment = wallOf(table, wall, event);
        const to = countUpTo(starts, moment);
        for (let index = countUpTo(ends, moment); index < to; index++) dropped[index] = at;
      }
      const group = grouped.numbers[at] as number;
      for (let index = first; index < end; index++) {
        if (listed[index] !== at) continue;
        member.dropped = dropped[index] === at ? 1 : 0;
        set(index, 0, group).add(member);
      }
    },
    signal,
  );
}

/** The local time of an event. One that is known only by its day has that day in every time zone. */
function wallOf({ events: { values } }: FactTable, wall: WallTime, event: number): number {
  const known = values[event + EVENT.day] as number;
  return Number.isNaN(known) ? wall(values[event + EVENT.at] as number) : known;
}

/** The events of each period. */
async function collectEvents(
  { table, wall, rows, grouped, starts, ends, set, signal }: Question,
  wanted: readonly string[],
): Promise<void> {
  const { offsets, values } = table.events;
  const sizes = table.columns.numbers.livingArea;
  const isWanted = Uint8Array.from([0, ...EVENT_KINDS.map((kind) => Number(wanted.includes(kind)))]);
  const member: Member = memberOf();
  await visitRows(
    rows,
    (row, at) => {
      const last = offsets[row + 1] as number;
      for (let event = offsets[row] as number; event < last; event += EVENT_WIDTH) {
        const kind = values[event + EVENT.kind] as number;
        if (isWanted[kind] !== 1) continue;
        const moment = wallOf(table, wall, event);
        const to = countUpTo(starts, moment);
        let index = countUpTo(ends, moment);
        if (index >= to) continue;
        member.livingArea = sizes === undefined ? Number.NaN : (sizes[row] as number);
        member.price = values[event + EVENT.price] as number;
        member.days = values[event + EVENT.days] as number;
        member.ratio = values[event + EVENT.ratio] as number;
        member.originalRatio = values[event + EVENT.originalRatio] as number;
        const group = grouped.numbers[at] as number;
        for (; index < to; index++) set(index, kind, group).add(member);
      }
    },
    signal,
  );
}
