// From when on the figures of the market change, as lives of listings are told anew. Pure.

import type { ListingDraft } from '../listings/draft.ts';
import type { StoredRecord } from '../listings/stored-record.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { MarketEvent, MarketLife, Stay } from './market-life.ts';

/** What the timeline needs to know of one changed listing: as it was, and as it is written. */
export interface ListingChange {
  readonly id: string;
  readonly propertyId: string;
  readonly draft: ListingDraft;
  readonly record: StoredRecord;
  readonly areaNos: readonly number[];
  readonly timeZone: string;
  readonly clock: { readonly end: number | null };
  /** Null: the listing is new. */
  readonly before: {
    readonly record: StoredRecord;
    readonly listingType: ListingType;
    readonly displayed: boolean;
    readonly areaNos: readonly number[];
    readonly createdAt: string;
  } | null;
}

/** Figures that change from a moment on: of the areas and the type that a listing has now, and of those it had. */
export interface FigureChange {
  readonly listingId: string;
  /** Milliseconds since the epoch; minus infinity: all of them. */
  readonly since: number;
  readonly hadAreaNos: readonly number[];
  readonly hadType: string | null;
}

type Life = Pick<MarketLife, 'stays' | 'events'>;

/** What the change of these lives, by the writes that made it, changes of figures. */
export function figureChanges(before: Life, after: Life, writes: readonly ListingChange[]): FigureChange[] {
  const since = earliestChanges(before, after);
  const changes = new Map<string, FigureChange>();
  for (const [listingId, at] of since)
    changes.set(listingId, { listingId, since: at, hadAreaNos: [], hadType: null });
  for (const { id, before: had } of writes.filter(hasMoved)) {
    const facts = [before, after].flatMap(({ stays, events }) => [
      ...stays.flatMap((stay) => (stay.listingId === id ? [stay.onAt] : [])),
      ...events.flatMap((event) => (event.listingId === id ? [event.at] : [])),
    ]);
    if (facts.length === 0) continue;
    const place = { hadAreaNos: had?.areaNos ?? [], hadType: had?.listingType ?? null };
    changes.set(id, { listingId: id, since: Math.min(...facts), ...place });
  }
  return [...changes.values()];
}

/** Whether a listing counts elsewhere than before, or is measured otherwise. */
function hasMoved({ before, record, draft, areaNos }: ListingChange): boolean {
  return (
    before !== null &&
    (before.displayed !== draft.display.listing ||
      before.listingType !== record.listingType ||
      before.record.livingArea !== record.livingArea ||
      before.record.currency !== record.currency ||
      before.areaNos.join() !== areaNos.join())
  );
}

/** For each listing of which anything is told otherwise: the first moment that is. */
export function earliestChanges(before: Life, after: Life): Map<string, number> {
  const earliest = new Map<string, number>();
  const note = (listingId: string, at: number): void => {
    earliest.set(listingId, Math.min(at, earliest.get(listingId) ?? Number.POSITIVE_INFINITY));
  };
  const known = new Map(before.stays.map((stay) => [stayKey(stay), stay]));
  for (const stay of after.stays) {
    const was = known.get(stayKey(stay));
    known.delete(stayKey(stay));
    if (!was) note(stay.listingId, stay.onAt);
    else if (was.offAt !== stay.offAt) note(stay.listingId, Math.min(was.offAt, stay.offAt));
    if (was && was.supersededAt !== stay.supersededAt)
      note(stay.listingId, Math.min(was.supersededAt, stay.supersededAt));
  }
  for (const stay of known.values()) note(stay.listingId, stay.onAt);
  for (const event of oddOnes(before.events, after.events)) note(event.listingId, event.at);
  return earliest;
}

/** A stay that begins alike is the same one, wherever it ends. */
const stayKey = ({ listingId, onAt, agedFrom, price, monthsFree }: Stay): string =>
  [listingId, onAt, agedFrom, price, monthsFree].join();

const eventKey = ({ listingId, listingType, kind, at, day, ...facts }: MarketEvent): string =>
  [listingId, listingType, kind, at, day, facts.price, facts.days, facts.ratio, facts.originalRatio].join();

/** Events of either side that the other has not as often. */
function oddOnes(one: readonly MarketEvent[], other: readonly MarketEvent[]): MarketEvent[] {
  const [ours, theirs] = [Map.groupBy(one, eventKey), Map.groupBy(other, eventKey)];
  const keys = new Set([...ours.keys(), ...theirs.keys()]);
  return [...keys].flatMap((key) => {
    const [a = [], b = []] = [ours.get(key), theirs.get(key)];
    return a.length === b.length ? [] : [...a, ...b].slice(0, 1);
  });
}
