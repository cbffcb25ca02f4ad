// Column summaries: the sets of a request summed up from the facts in memory, as the statements of store.ts sum them up.

import type { Task } from '../lib/scheduler.ts';
import {
  countRows,
  eventWall,
  type GroupedRows,
  groupRows,
  type RowVisitor,
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

/** What one request is collected with. */
interface Question {
  readonly wall: WallTime;
  readonly grouped: GroupedRows;
  /** Local times in milliseconds, both ascending. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** The set of a period, by its index, of a kind and group. */
  readonly set: (index: number, kind: number, group: number) => SetSummary;
}

/** The most values that are collected at once; more periods are gone through in several passes over the rows. */
const MAX_VALUES = 4_000_000;
/** Sets that are looked at between two looks at the clock. */
const SETS = 1_024;
/** What a request asks for, and the kinds of events. */
const KINDS = EVENT_KINDS.length + 1;

/** The summaries of each request. */
export async function summarizeFacts(
  facts: Facts,
  listings: ListingScope,
  requests: readonly SummaryRequest[],
  task: Task,
): Promise<PeriodSummary[][]> {
  const scoped = await scopeRows(facts, listings, task);
  const grouped = await groupRows(facts, listings, scoped, task);
  const scope = { wall: wallTimeOf(listings.timeZone), grouped };
  const results: PeriodSummary[][] = requests.map(() => []);
  for (const batch of batchesOf(requests, Math.floor(MAX_VALUES / Math.max(1, countRows(scoped))))) {
    const collections = batch.map(({ request }) => new Collection(request, scope));
    const visitor: RowVisitor = (part) => {
      const visits = collections.map((each) => each.visitor(part));
      return (row, at) => {
        for (const visit of visits) visit(row, at);
      };
    };
    await visitRows(scoped, visitor, task);
    for (const [at, { place, first }] of batch.entries())
      results[place]?.push(...((await collections[at]?.summaries(first, task)) ?? []));
  }
  return results;
}

/** Some periods of a request: its place among the requests, and that of the first of these periods among all of its own. */
interface RequestPart {
  readonly request: SummaryRequest;
  readonly place: number;
  readonly first: number;
}

/** The requests in parts that are collected together, of so many periods in all. */
function batchesOf(requests: readonly SummaryRequest[], most: number): RequestPart[][] {
  const size = Math.max(1, most);
  const batches: RequestPart[][] = [];
  let room = 0;
  for (const [place, request] of requests.entries()) {
    for (let first = 0; first < request.periods.length; first += size) {
      const periods = request.periods.slice(first, first + size);
      if (periods.length > room) {
        batches.push([]);
        room = size;
      }
      batches.at(-1)?.push({ request: { ...request, periods }, place, first });
      room -= periods.length;
    }
  }
  return batches;
}

/** Collects the members of the sets of one request. */
class Collection {
  readonly visitor: RowVisitor;
  readonly #request: SummaryRequest;
  readonly #groups: GroupedRows['groups'];
  readonly #sets: (SetSummary | undefined)[];

  constructor(request: SummaryRequest, scope: Pick<Question, 'wall' | 'grouped'>) {
    const { set, kinds, periods, measures } = request;
    const { groups } = scope.grouped;
    const sets: (SetSummary | undefined)[] = new Array(periods.length * KINDS * groups.length);
    this.#request = request;
    this.#groups = groups;
    this.#sets = sets;
    const question: Question = {
      ...scope,
      starts: Float64Array.from(periods, ({ start }) => Date.parse(start)),
      ends: Float64Array.from(periods, ({ end }) => Date.parse(end)),
      set: (index, kind, group) => {
        const place = (index * KINDS + kind) * groups.length + group;
        const known = sets[place];
        if (known !== undefined) return known;
        const created = new SetSummary(measures);
        sets[place] = created;
        return created;
      },
    };
    if (set === 'inventory') this.visitor = inventoryVisitor(question);
    else if (set === 'active') this.visitor = activeVisitor(question);
    else this.visitor = eventVisitor(question, kinds);
  }

  /** Of the sets that have members; `first`: the place of the first period. */
  async summaries(first: number, task: Task): Promise<PeriodSummary[]> {
    const { set } = this.#request;
    const [sets, groups] = [this.#sets, this.#groups];
    const summaries: PeriodSummary[] = [];
    for (let place = 0; place < sets.length; place++) {
      if (place % SETS === 0 && task.shouldYield()) await task.yield();
      const summed = sets[place];
      if (summed === undefined) continue;
      const kind = Math.floor(place / groups.length) % KINDS;
      const name = kind === 0 ? set : EVENT_KINDS[kind - 1];
      if (name === undefined || name === 'events' || name === 'relisted') continue;
      summaries.push({
        index: first + Math.floor(place / groups.length / KINDS),
        set: name,
        group: groups[place % groups.length] ?? [],
        summaries: await task.run(summed.summaries()),
      });
    }
    return summaries;
  }
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
function inventoryVisitor({ wall, grouped, ends, set }: Question): RowVisitor {
  const member: Member = memberOf();
  return ({ columns, periods: { offsets, values } }: FactPart) => {
    const sizes = columns.numbers.livingArea;
    return (row: number, at: number): void => {
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
    };
  };
}

const DROP = EVENT_KINDS.indexOf('drop') + 1;

/** The listings that were on the market at any time of each period, and whether their price was lowered in it. */
function activeVisitor({ wall, grouped, starts, ends, set }: Question): RowVisitor {
  // The place of the last listing that was on the market in each period, and of the last whose price was lowered.
  const listed = new Int32Array(starts.length).fill(-1);
  const dropped = new Int32Array(starts.length).fill(-1);
  const member: Member = memberOf();
  return ({ periods: { offsets, values }, events }: FactPart) => {
    return (row: number, at: number): void => {
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
    };
  };
}

/** The events of each period. */
function eventVisitor({ wall, grouped, starts, ends, set }: Question, wanted: readonly string[]): RowVisitor {
  const isWanted = Uint8Array.from([0, ...EVENT_KINDS.map((kind) => Number(wanted.includes(kind)))]);
  const member: Member = memberOf();
  return ({ columns, events: { offsets, values } }: FactPart) => {
    const sizes = columns.numbers.livingArea;
    return (row: number, at: number): void => {
      const last = offsets[row + 1] as number;
      for (let event = offsets[row] as number; event < last; event += EVENT_WIDTH) {
        const kind = values[event + EVENT.kind] as number;
        if (isWanted[kind] !== 1) continue;
        const moment = eventWall(values, event, wall);
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
    };
  };
}
