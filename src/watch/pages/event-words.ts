// Event in plain words: what happened, and to which home.

import type { ContentRow, EventRow } from '../events/read-store.ts';
import { metricWords } from './target-words.ts';

const TITLES: Readonly<Record<string, string>> = {
  'listing.created': 'New listing',
  'listing.updated': 'Listing changed',
  'listing.price_decreased': 'Price lowered',
  'listing.price_increased': 'Price raised',
  'listing.status_changed': 'Status changed',
  'listing.back_on_market': 'Back on the market',
  'listing.pending': 'Pending',
  'listing.closed': 'Sold or let',
  'listing.delisted': 'Off the market',
  'listing.deleted': 'Removed by its source',
  'listing.photos_changed': 'Photos changed',
  'listing.open_house_added': 'Open house announced',
  'listing.open_house_changed': 'Open house changed',
  'listing.open_house_canceled': 'Open house canceled',
  'search.match_added': 'New match',
  'search.match_removed': 'No longer matches',
  'market.threshold_crossed': 'Market threshold crossed',
  'watcher.digest': 'Digest',
  'watcher.test': 'Test',
  'watcher.paused': 'Watcher paused',
  'watcher.disabled': 'Watcher switched off',
  'watcher.throttled': 'Too many events',
  'watcher.expired': 'Watcher expired',
};

/** An event type in words; one without words as it is. */
export function eventTitle(type: string): string {
  return TITLES[type] ?? type;
}

/** Why a watcher does not send, in words. */
export const REASONS: Readonly<Record<string, string>> = {
  owner: 'You paused it.',
  over_limit: 'Your plan allows fewer watchers, and this one is among the newest.',
  subscription_ended: 'No subscription of yours is in force.',
  delivery_failed: 'Its webhooks did not answer for days.',
};

/** What of a listing is said; any member may be missing. */
interface ListingFacts {
  readonly price?: number | null;
  readonly currency?: string;
  readonly priceFrequency?: string | null;
  readonly status?: string;
  readonly address?: { readonly full?: string | null };
}

/** Facts of an event, the most telling first: address, price, status. Empty: the title says it all. */
export function eventFacts(row: EventRow, content: ContentRow | undefined): string[] {
  if (row.listingId === null) return watcherFacts(row);
  const listing = parse<ListingFacts>(content?.object);
  const previous = parse<ListingFacts>(content?.previous);
  if (listing === null) return [`Listing ${row.listingId}, which is not shown any more`];
  const address = listing.address?.full ?? `Listing ${row.listingId}`;
  return [address, priceWords(listing, previous), statusWords(listing, previous)].filter(
    (fact) => fact !== null,
  );
}

interface WatcherFacts {
  readonly reason?: string;
  readonly limit?: number;
  readonly count?: number;
  readonly metric?: string;
  readonly value?: number;
  readonly previous?: number;
}

function watcherFacts({ type, data, dropped }: EventRow): string[] {
  const { reason, limit, count = 0, metric = '', value = 0, previous = 0 } = parse<WatcherFacts>(data) ?? {};
  if (type === 'market.threshold_crossed')
    return [
      `${metricWords(metric)}: ${value.toLocaleString('en-US')}, before ${previous.toLocaleString('en-US')}`,
    ];
  if (type === 'watcher.digest')
    return [`${count.toLocaleString('en-US')} ${count === 1 ? 'event' : 'events'} together`];
  if (type === 'watcher.throttled')
    return [
      `Your plan has ${(limit ?? 0).toLocaleString('en-US')} events an hour; ${(dropped ?? 0).toLocaleString('en-US')} more were left out`,
    ];
  const words = reason === undefined ? undefined : REASONS[reason];
  return words === undefined ? [] : [words];
}

function priceWords(listing: ListingFacts, previous: ListingFacts | null): string | null {
  const { price, currency, priceFrequency } = listing;
  if (typeof price !== 'number') return null;
  const now = money(price, currency);
  const per =
    priceFrequency === null || priceFrequency === undefined ? '' : ` ${priceFrequency.toLowerCase()}`;
  const former = previous?.price;
  return typeof former === 'number' ? `${now}${per}, before ${money(former, currency)}` : `${now}${per}`;
}

function money(amount: number, currency: string | undefined): string {
  return `${amount.toLocaleString('en-US')}${currency === undefined ? '' : ` ${currency}`}`;
}

function statusWords({ status }: ListingFacts, previous: ListingFacts | null): string | null {
  if (status === undefined || previous?.status === undefined) return null;
  return `${lower(previous.status)}, now ${lower(status)}`;
}

const lower = (status: string): string => status.replaceAll('_', ' ').toLowerCase();

function parse<T>(json: string | null | undefined): T | null {
  return json === null || json === undefined ? null : (JSON.parse(json) as T);
}
