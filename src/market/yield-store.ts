// Gross rental yield: a year of asking rent over the asking price of similar homes.

import type { Sql } from '../postgres/client/database.ts';
import {
  type Figure,
  figureOver,
  type Metric,
  MINIMUM_SAMPLE,
  metricOf,
  roundedFor,
} from '../search/summaries/metrics.ts';
import { addIntervals, type Period } from './calendar.ts';
import { samePropertyYieldOf, type YieldRow } from './column-yield.ts';
import { computeFigures } from './compute-figures.ts';
import { loadSummaries } from './load-summaries.ts';
import { type FigureReads, listingScopeOf, type Scope } from './market-scope.ts';
import { eventWallSql, type ListingScope } from './store.ts';

const NEW_PRICE = 'median_new_list_price';

/** The yield by bedrooms, ascending, of bands with new listings; unknown bedrooms come last. */
export async function yieldBands(reads: FigureReads, rentals: Scope, sales: Scope, period: Period) {
  const metric = metricOf(NEW_PRICE);
  if (!metric) throw new Error(`There is no metric called ${NEW_PRICE}`);
  const [rents, prices] = [
    await byBedrooms(reads, rentals, metric, period),
    await byBedrooms(reads, sales, metric, period),
  ];
  return [...new Set([...rents.keys(), ...prices.keys()])]
    .sort((a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
    .map((bedrooms) => band(bedrooms, rents.get(bedrooms), prices.get(bedrooms)));
}

/** The median of one listing type in one band. */
type Median = Pick<Figure, 'value' | 'n'>;

const NO_LISTINGS: Median = { value: null, n: 0 };

function band(
  bedrooms: number | null,
  { value: rent, n: nRentals } = NO_LISTINGS,
  { value: price, n: nSales } = NO_LISTINGS,
) {
  const suppressed = nRentals < MINIMUM_SAMPLE || nSales < MINIMUM_SAMPLE;
  const ratio = suppressed || rent === null || price === null ? null : (12 * rent) / price;
  return {
    bedrooms,
    nRentals,
    nSales,
    suppressed,
    unit: 'share',
    value: ratio === null ? null : roundedFor('share', ratio),
    priceToRentRatio: ratio === null ? null : roundedFor('ratio', 1 / ratio),
  };
}

async function byBedrooms(
  reads: FigureReads,
  scope: Scope,
  metric: Metric,
  period: Period,
): Promise<Map<number | null, Median>> {
  const loaded = await loadSummaries(reads, listingScopeOf(scope, ['bedrooms']), [metric], [period]);
  return new Map(
    loaded.groups(period).map((group) => {
      const [bedrooms] = group;
      const { value, n } = figureOver(metric, loaded.during(period, 'new', group));
      return [typeof bedrooms === 'number' ? bedrooms : null, { value, n }];
    }),
  );
}

/** The yield of properties listed both for rent and for sale in the twelve months before the end of the period. */
export async function samePropertyYield(reads: FigureReads, rentals: Scope, sales: Scope, { end }: Period) {
  const [rented, sold] = [listingScopeOf(rentals), listingScopeOf(sales)];
  const year = { start: addIntervals(end, 'year', -1), end };
  const { n, quartiles } = await computeFigures(reads, [rented, sold], {
    fromFacts: (facts, pace) => samePropertyYieldOf(facts, rented, sold, year, pace),
    fromDatabase: (sql) => selectSamePropertyYield(sql, rented, sold, year),
  });
  const suppressed = n < MINIMUM_SAMPLE;
  const shown = suppressed ? [] : (quartiles ?? []).map((part) => roundedFor('share', part));
  const [p25 = null, value = null, p75 = null] = shown;
  return { period: year, value, n, p25, p75, suppressed, unit: 'share' };
}

/** Twelve monthly rents divided by the asking price, over properties listed both ways; each by its latest listings. */
async function selectSamePropertyYield(
  sql: Sql,
  rentals: ListingScope,
  sales: ListingScope,
  { start, end }: Period,
): Promise<YieldRow> {
  const latest = (listings: ListingScope) => sql`
    select distinct on (property_id) property_id, price
    from market_event join (select id from listing_search where ${listings.where(sql)}) as scope on id = listing_id
    where kind in ('new', 'relisted') and price > 0 and listing_type = ${listings.listingType}
      and ${eventWallSql(sql, listings)} >= ${start}::timestamp
      and ${eventWallSql(sql, listings)} < ${end}::timestamp
    order by property_id, at desc, listing_id desc`;
  const [row] = await sql<YieldRow[]>`
    with rental as (${latest(rentals)}), sale as (${latest(sales)})
    select count(*)::double precision as n, percentile_cont(array[0.25, 0.5, 0.75]::double precision[])
      within group (order by 12 * rental.price / sale.price) as quartiles
    from rental join sale using (property_id)`;
  return row ?? { n: 0, quartiles: null };
}
