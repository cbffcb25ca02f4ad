// Changes of market figures that follow from changed timelines. Pure.

import type { ListingDraft } from '../listings/draft.ts';
import type { ListingEvent } from '../listings/history.ts';
import type { StoredRecord } from '../listings/stored-record.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { MarketEvent, MarketPeriod, PropertyTimeline } from './property-timeline.ts';

/** What the timeline needs to know of one changed listing: as it was, and as it is written. */
export interface ListingChange {
  readonly id: string;
  readonly propertyId: string;
  readonly draft: ListingDraft;
  readonly record: StoredRecord;
  readonly areaNos: readonly number[];
  readonly timeZone: string;
  readonly clock: { readonly end: number | null };
  /** What happened to it, in the order of recording. */
  readonly events: readonly ListingEvent[];
  /** Null: the listing is new. */
  readonly before: {
    readonly record: StoredRecord;
    readonly listingType: ListingType;
    readonly displayed: boolean;
    readonly areaNos: readonly number[];
    readonly createdAt: string;
  } | null;
}

/** Figures that change from a moment on: of the areas and type that a listing has, and of those it had before. */
export interface FigureChange {
  readonly listingId: string;
  /** Milliseconds since the epoch; minus infinity: all of them. */
  readonly since: number;
  readonly previousAreaNos: readonly number[];
  readonly previousType: string | null;
}

type Timeline = Pick<PropertyTimeline, 'periods' | 'events'>;

/** The figures that change with these timelines, and with the writes that changed them. */
export function figureChanges(
  before: Timeline,
  after: Timeline,
  writes: readonly ListingChange[],
): FigureChange[] {
  const since = earliestChanges(before, after);
  const changes = new Map<string, FigureChange>();
  for (const [listingId, at] of since)
    changes.set(listingId, { listingId, since: at, previousAreaNos: [], previousType: null });
  const moved = writes.filter(hasChangedScope);
  const first = moved.length === 0 ? since : firstFacts([before, after]);
  for (const { id, before: previous } of moved) {
    const earliest = first.get(id);
    if (earliest === undefined) continue;
    const scope = { previousAreaNos: previous?.areaNos ?? [], previousType: previous?.listingType ?? null };
    changes.set(id, { listingId: id, since: earliest, ...scope });
  }
  return [...changes.values()];
}

/** The first moment in these timelines of each listing. */
function firstFacts(timelines: readonly Timeline[]): Map<string, number> {
  const first = new Map<string, number>();
  const add = (listingId: string, at: number): void => {
    const known = first.get(listingId);
    if (known === undefined || at < known) first.set(listingId, at);
  };
  for (const { periods, events } of timelines) {
    for (const { listingId, startedAt } of periods) add(listingId, startedAt);
    for (const { listingId, at } of events) add(listingId, at);
  }
  return first;
}

/** Whether a listing counts in other areas than before, or with other measures. */
function hasChangedScope({ before, record, draft, areaNos }: ListingChange): boolean {
  return (
    before !== null &&
    (before.displayed !== draft.display.listing ||
      before.listingType !== record.listingType ||
      before.record.livingArea !== record.livingArea ||
      before.record.currency !== record.currency ||
      before.areaNos.join() !== areaNos.join())
  );
}

/** The first moment at which the timeline of each listing differs; unchanged listings are left out. */
export function earliestChanges(before: Timeline, after: Timeline): Map<string, number> {
  const earliest = new Map<string, number>();
  const add = (listingId: string, at: number): void => {
    earliest.set(listingId, Math.min(at, earliest.get(listingId) ?? Number.POSITIVE_INFINITY));
  };
  const unmatched = new Map(before.periods.map((period) => [periodKey(period), period]));
  for (const period of after.periods) {
    const was = unmatched.get(periodKey(period));
    unmatched.delete(periodKey(period));
    if (!was) add(period.listingId, period.startedAt);
    else if (was.endedAt !== period.endedAt) add(period.listingId, Math.min(was.endedAt, period.endedAt));
    if (was && was.supersededAt !== period.supersededAt)
      add(period.listingId, Math.min(was.supersededAt, period.supersededAt));
  }
  for (const period of unmatched.values()) add(period.listingId, period.startedAt);
  for (const event of differingEvents(before.events, after.events)) add(event.listingId, event.at);
  return earliest;
}

/** Periods with the same beginning are the same period, wherever they end. */
const periodKey = ({ listingId, startedAt, daysOnMarketStart, price, monthsFree }: MarketPeriod): string =>
  [listingId, startedAt, daysOnMarketStart, price, monthsFree].join();

const eventKey = ({ listingId, listingType, kind, at, day, ...facts }: MarketEvent): string =>
  [listingId, listingType, kind, at, day, facts.price, facts.days, facts.ratio, facts.originalRatio].join();

/** Events that one side has more often than the other. */
function differingEvents(one: readonly MarketEvent[], other: readonly MarketEvent[]): MarketEvent[] {
  const [ours, theirs] = [Map.groupBy(one, eventKey), Map.groupBy(other, eventKey)];
  const keys = new Set([...ours.keys(), ...theirs.keys()]);
  return [...keys].flatMap((key) => {
    const [a = [], b = []] = [ours.get(key), theirs.get(key)];
    return a.length === b.length ? [] : [...a, ...b].slice(0, 1);
  });
}
