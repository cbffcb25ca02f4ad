// Column summaries: the sets of a request summed up from the facts in memory, as the statements of store.ts sum them up.

import type { Pace } from '../search/engine/questions/pace.ts';
import {
  countRows,
  eventWall,
  type GroupedRows,
  groupRows,
  type PartRows,
  scopeRows,
  visitRows,
} from './fact-scan.ts';
import {
  EVENT,
  EVENT_KINDS,
  EVENT_WIDTH,
  type FactPart,
  PERIOD,
  PERIOD_WIDTH,
} from './facts/fact-columns.ts';
import type { Facts } from './facts/fact-writer.ts';
import { type Member, memberOf, SetSummary } from './set-summary.ts';
import type { ListingScope, PeriodSummary, SummaryRequest } from './store.ts';
import { type WallTime, wallTimeOf } from './wall-time.ts';

/** What one request is computed with. */
interface Question {
  readonly wall: WallTime;
  readonly scoped: readonly PartRows[];
  readonly grouped: GroupedRows;
  /** Local times in milliseconds, both ascending. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** The set of a period, by its index, of a kind and group. */
  readonly set: (index: number, kind: number, group: number) => SetSummary;
  /** About how many nanoseconds it takes to add a member to a set. */
  readonly added: number;
  readonly pace: Pace;
}

/** The most values that are collected at once; more periods are gone through in several passes. */
const MOST_VALUES = 4_000_000;
/** Nanoseconds: to come to a row, to look at a period or an event, at a set, and to add a value to one. */
const ROW = 40;
const LOOKED_AT = 60;
const SET = 5;
const VALUE = 20;

/** The summaries of each request. */
export async function summarizeFacts(
  facts: Facts,
  listings: ListingScope,
  requests: readonly SummaryRequest[],
  pace: Pace,
): Promise<PeriodSummary[][]> {
  const scoped = await scopeRows(facts, listings, pace);
  const grouped = await groupRows(facts, listings, scoped, pace);
  const wall = wallTimeOf(listings.timeZone);
  const passes = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, countRows(scoped))));
  const results: PeriodSummary[][] = [];
  for (const request of requests) {
    const summaries: PeriodSummary[] = [];
    for (let from = 0; from < request.periods.length; from += passes) {
      const part = { ...request, periods: request.periods.slice(from, from + passes) };
      summaries.push(...(await summarize({ wall, scoped, grouped, pace }, part, from)));
    }
    results.push(summaries);
  }
  return results;
}

async function summarize(
  scope: Pick<Question, 'wall' | 'scoped' | 'grouped' | 'pace'>,
  { set, kinds, periods, measures }: SummaryRequest,
  first: number,
): Promise<PeriodSummary[]> {
  const { groups } = scope.grouped;
  const kindCount = EVENT_KINDS.length + 1;
  const sets: (SetSummary | undefined)[] = new Array(periods.length * kindCount * groups.length);
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
    added: VALUE * (1 + measures.length),
  };
  if (set === 'inventory') await collectInventory(question);
  else if (set === 'active') await collectActive(question);
  else await collectEvents(question, kinds);
  const summaries: PeriodSummary[] = [];
  for (let place = 0; place < sets.length; place++) {
    if (scope.pace.spend(SET)) await scope.pace.pause();
    const summed = sets[place];
    if (summed === undefined) continue;
    const kind = Math.floor(place / groups.length) % kindCount;
    const name = kind === 0 ? set : EVENT_KINDS[kind - 1];
    if (name === undefined || name === 'events' || name === 'relisted') continue;
    summaries.push({
      index: first + Math.floor(place / groups.length / kindCount),
      set: name,
      group: groups[place % groups.length] ?? [],
      summaries: await scope.pace.run(summed.summaries()),
    });
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
async function collectInventory({ wall, scoped, grouped, ends, set, added, pace }: Question): Promise<void> {
  const member: Member = memberOf();
  const visitor = ({ columns, periods: { offsets, values } }: FactPart) => {
    const sizes = columns.numbers.livingArea;
    return (row: number, at: number): number => {
      const group = grouped.numbers[at] as number;
      member.livingArea = sizes === undefined ? Number.NaN : (sizes[row] as number);
      const last = offsets[row + 1] as number;
      let spent = ROW;
      for (let period = offsets[row] as number; period < last; period += PERIOD_WIDTH) {
        spent += LOOKED_AT;
        const to = countUpTo(ends, wall(values[period + PERIOD.end] as number));
        let index = countUpTo(ends, wall(values[period + PERIOD.start] as number));
        if (index >= to) continue;
        spent += added * (to - index);
        member.price = values[period + PERIOD.price] as number;
        member.monthsFree = values[period + PERIOD.monthsFree] as number;
        const start = wall(values[period + PERIOD.daysOnMarketStart] as number);
        for (; index < to; index++) {
          member.age = Math.max(0, Math.floor(((ends[index] as number) - start) / DAY));
          set(index, 0, group).add(member);
        }
      }
      return spent;
    };
  };
  await visitRows(scoped, visitor, pace);
}

const DROP = EVENT_KINDS.indexOf('drop') + 1;

/** The listings that were on the market at any time of each period, and whether their price was lowered in it. */
async function collectActive({
  wall,
  scoped,
  grouped,
  starts,
  ends,
  set,
  added,
  pace,
}: Question): Promise<void> {
  // The place of the last listing that was on the market in each period, and of the last whose price was lowered.
  const listed = new Int32Array(starts.length).fill(-1);
  const dropped = new Int32Array(starts.length).fill(-1);
  const member: Member = memberOf();
  const visitor = ({ periods: { offsets, values }, events }: FactPart) => {
    return (row: number, at: number): number => {
      let [first, end] = [starts.length, 0];
      const last = offsets[row + 1] as number;
      let spent = ROW;
      for (let period = offsets[row] as number; period < last; period += PERIOD_WIDTH) {
        spent += LOOKED_AT;
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
      if (first >= end) return spent;
      const lastEvent = events.offsets[row + 1] as number;
      for (let event = events.offsets[row] as number; event < lastEvent; event += EVENT_WIDTH) {
        if (events.values[event + EVENT.kind] !== DROP) continue;
        spent += LOOKED_AT;
        const moment = eventWall(events.values, event, wall);
        const to = countUpTo(starts, moment);
        for (let index = countUpTo(ends, moment); index < to; index++) dropped[index] = at;
      }
      const group = grouped.numbers[at] as number;
      for (let index = first; index < end; index++) {
        if (listed[index] !== at) continue;
        member.dropped = dropped[index] === at ? 1 : 0;
        set(index, 0, group).add(member);
      }
      return spent + added * (end - first);
    };
  };
  await visitRows(scoped, visitor, pace);
}

/** The events of each period. */
async function collectEvents(
  { wall, scoped, grouped, starts, ends, set, added, pace }: Question,
  wanted: readonly string[],
): Promise<void> {
  const isWanted = Uint8Array.from([0, ...EVENT_KINDS.map((kind) => Number(wanted.includes(kind)))]);
  const member: Member = memberOf();
  const visitor = ({ columns, events: { offsets, values } }: FactPart) => {
    const sizes = columns.numbers.livingArea;
    return (row: number, at: number): number => {
      const last = offsets[row + 1] as number;
      let spent = ROW;
      for (let event = offsets[row] as number; event < last; event += EVENT_WIDTH) {
        const kind = values[event + EVENT.kind] as number;
        if (isWanted[kind] !== 1) continue;
        spent += LOOKED_AT;
        const moment = eventWall(values, event, wall);
        const to = countUpTo(starts, moment);
        let index = countUpTo(ends, moment);
        if (index >= to) continue;
        spent += added * (to - index);
        member.livingArea = sizes === undefined ? Number.NaN : (sizes[row] as number);
        member.price = values[event + EVENT.price] as number;
        member.days = values[event + EVENT.days] as number;
        member.ratio = values[event + EVENT.ratio] as number;
        member.originalRatio = values[event + EVENT.originalRatio] as number;
        const group = grouped.numbers[at] as number;
        for (; index < to; index++) set(index, kind, group).add(member);
      }
      return spent;
    };
  };
  await visitRows(scoped, visitor, pace);
}
