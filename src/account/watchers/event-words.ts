// Event in plain words: what happened, and to which home.

import { enumWords, moneyWords, priceWords } from '../../page/words.ts';
import type { ContentRow, EventRow } from '../../watch/events/read-store.ts';
import { figureWords, percentWords } from '../../watch/figure-words.ts';
import { changeWords } from './change-words.ts';
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
  'account.quota_reached': 'Month nearly used',
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

/**
 * Facts of an event, the most informative first: address, price, status. Empty: the title says it all. `currency` is that of the
 * watcher's figures.
 */
export function eventFacts(
  row: EventRow,
  content: ContentRow | undefined,
  currency: string | null = null,
): string[] {
  if (row.listingId === null) return watcherFacts(row, currency);
  const listing = parse<ListingFacts>(content?.object);
  const previous = parse<ListingFacts>(content?.previous);
  if (listing === null) return [`Listing ${row.listingId}, which is not shown any more`];
  const address = listing.address?.full ?? `Listing ${row.listingId}`;
  const changes = row.type === 'listing.updated' ? changeWords(content, previous === null) : null;
  return [address, priceFact(listing, previous), statusWords(listing, previous), changes].filter(
    (fact) => fact !== null,
  );
}

interface WatcherFacts {
  readonly reason?: string;
  readonly limit?: number;
  readonly count?: number;
  readonly metric?: string;
  readonly op?: string;
  readonly value?: number;
  readonly previous?: number;
}

function watcherFacts({ type, data, dropped }: EventRow, currency: string | null): string[] {
  const facts = parse<WatcherFacts>(data) ?? {};
  const { reason, limit, count = 0 } = facts;
  if (type === 'market.threshold_crossed') return [crossingWords(facts, currency)];
  if (type === 'watcher.digest')
    return [`${count.toLocaleString('en-US')} ${count === 1 ? 'event' : 'events'} together`];
  if (type === 'watcher.throttled')
    return [
      `Your plan has ${(limit ?? 0).toLocaleString('en-US')} events an hour; ${(dropped ?? 0).toLocaleString('en-US')} more were left out`,
    ];
  const words = reason === undefined ? undefined : REASONS[reason];
  return words === undefined ? [] : [words];
}

function crossingWords(
  { metric = '', op = '', value = 0, previous = 0 }: WatcherFacts,
  currency: string | null,
): string {
  const isChange = op.startsWith('change_percent');
  const [now, before] = [value, previous].map((each) =>
    isChange ? percentWords(each) : figureWords(metric, each, currency),
  );
  return `${metricWords(metric)}: ${isChange ? 'a change of ' : ''}${now}, before ${before}`;
}

function priceFact(listing: ListingFacts, previous: ListingFacts | null): string | null {
  const { price } = listing;
  if (typeof price !== 'number') return null;
  const now = priceWords({ ...listing, price });
  const former = previous?.price;
  return typeof former === 'number' ? `${now}, before ${moneyWords(former, listing.currency)}` : now;
}

function statusWords({ status }: ListingFacts, previous: ListingFacts | null): string | null {
  if (status === undefined || previous?.status === undefined) return null;
  return `${enumWords(previous.status)}, now ${enumWords(status).toLowerCase()}`;
}

function parse<T>(json: string | null | undefined): T | null {
  return json === null || json === undefined ? null : (JSON.parse(json) as T);
}
