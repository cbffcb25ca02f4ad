// What a watcher of a search is told of, as a plain loop: its queries, and whether one listing matches at one moment.

import fc from 'fast-check';
import { DAY, NOW, type Row } from '../catalogue/random-market.ts';
import type { ListingType } from '../catalogue/search-client.ts';
import type { Filter, Query } from './filters.ts';
import { FILTERS, finds } from './search-oracle.ts';

/** What matches by the mere passing of time. */
const BY_DAYS = ['minDaysOnMarket', 'maxDaysOnMarket', 'daysOld'];

/** The filters that a watcher takes. */
export const watchedFilters = (type: ListingType): readonly Filter[] =>
  FILTERS.filter(
    (filter) =>
      !(type === 'sale' ? filter.rentalOnly : filter.saleOnly) &&
      !filter.parameters.some((name) => BY_DAYS.includes(name)),
  );

/** The same query with the moments in place of durations. */
export const withoutDurations = (query: Query): Query =>
  Object.fromEntries(
    Object.entries(query).map(([name, text]) => {
      const days = /^P(\d+)D$/.exec(text)?.[1];
      return [name, days === undefined ? text : new Date(NOW - Number(days) * DAY).toISOString()];
    }),
  );

/** Queries of a few filters, and of none. */
export const watchedQueries = (type: ListingType, max = 4): fc.Arbitrary<Query> =>
  fc
    .subarray(
      watchedFilters(type).filter(({ alone }) => !alone),
      { maxLength: max },
    )
    .chain((filters) =>
      fc.tuple(fc.constantFrom({}, { status: 'any' }), ...filters.map(({ values }) => values)),
    )
    .map((parts) => withoutDurations(Object.assign({}, ...parts)));

/** Whether a search with these parameters matches the listing as it stands. */
export const oracleMatches = (
  { listingType, query }: { readonly listingType: ListingType; readonly query: Query },
  record: Row,
): boolean => finds(listingType, query, record, Number.NaN);
