// Benchmark of estimates on real sales and rents: each fold is estimated by the service from the other four.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { ListingType } from '../../src/listings/vocabulary.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import { findComparables } from '../../src/property/comparables.ts';
import {
  ESTIMATE_DAYS_OLD,
  ESTIMATE_RADIUS_KM,
  type EstimatedPrice,
  estimateFrom,
  LEVEL,
} from '../../src/property/estimate.ts';
import { PriceTrends } from '../../src/property/price-trend-store.ts';
import type { HomeFacts } from '../../src/property/similarity.ts';
import { median, percentile } from '../statistics.ts';
import { cityBaseline, draftOfRent, readRents } from './rents.ts';
import { draftOfSale, FOLDS, foldOf, nearestBaseline, readSales } from './sales.ts';

const BATCH = 1_000;
const NOW = Date.parse('2015-06-01');

interface Guess {
  readonly fold: number;
  readonly paid: number;
  readonly closedOn: string;
  readonly estimated: EstimatedPrice;
  readonly baseline: number | null;
}

const { FREEHOLD_TEST_DATA: folder = '' } = process.env;
if (folder === '') throw new Error('FREEHOLD_TEST_DATA must name the folder of sales and rents');
const part = process.argv[2] ?? 'sales';
if (part === 'rents') print('rents', 'median rent per area of the city', await guessRents());
else print('sales', 'fifteen nearest of half to double the size, median price per area', await guessSales());

/** Every sale, from sales of other parcels that had closed on earlier days. */
async function guessSales(): Promise<Guess[]> {
  const sales = await readSales(folder);
  const inFolds = Map.groupBy(sales, ({ parcel }) => foldOf(parcel));
  return eachFold(
    (fold) => sales.filter(({ parcel }) => foldOf(parcel) !== fold).map(draftOfSale),
    async (valuer, fold) => {
      const known = sales.filter(({ parcel }) => foldOf(parcel) !== fold);
      const guesses: Guess[] = [];
      for (const sale of inFolds.get(fold) ?? []) {
        const estimated = await guess(valuer, 'sale', sale.home, Date.parse(sale.closedOn) - 1);
        if (estimated === null) continue;
        const { price: paid, closedOn } = sale;
        guesses.push({ fold, paid, closedOn, estimated, baseline: nearestBaseline(known, sale) });
      }
      return guesses;
    },
  );
}

/** Every rent, from other flats on offer: the file knows no dates. */
async function guessRents(): Promise<Guess[]> {
  const rents = await readRents(folder);
  return eachFold(
    (fold) => rents.filter((rent) => rent.fold !== fold).map(draftOfRent),
    async (valuer, fold) => {
      const known = rents.filter((rent) => rent.fold !== fold);
      const guesses: Guess[] = [];
      for (const rent of rents.filter((each) => each.fold === fold)) {
        const estimated = await guess(valuer, 'rental', rent.home, NOW);
        if (estimated === null) continue;
        const baseline = cityBaseline(known, rent, median);
        guesses.push({ fold, paid: rent.price, closedOn: '', estimated, baseline });
      }
      return guesses;
    },
  );
}

interface Valuer {
  readonly database: Database;
  readonly trends: PriceTrends;
}

async function eachFold(
  draftsFor: (fold: number) => readonly ListingDraft[],
  work: (valuer: Valuer, fold: number) => Promise<Guess[]>,
): Promise<Guess[]> {
  const all: Guess[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    all.push(...(await withMarket(draftsFor(fold), (valuer) => work(valuer, fold))));
    console.error(`fold ${fold + 1} of ${FOLDS}: ${all.length.toLocaleString('en-US')} estimates`);
  }
  return all;
}

/** A database that knows just these listings. */
async function withMarket<T>(
  drafts: readonly ListingDraft[],
  work: (valuer: Valuer) => Promise<T>,
): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), 'freehold-estimate-'));
  const server = await startEmbedded({ dataDirectory: place, log: () => {}, durable: false });
  const database = openDatabase({ socket: server.connection, timeout: 0 });
  try {
    await migrate(database);
    const catalogue = createCatalogue(database);
    for (let first = 0; first < drafts.length; first += BATCH) {
      const batch = drafts.slice(first, first + BATCH);
      await database.transaction((tx) => catalogue.write(tx, 'sales', batch, NOW));
    }
    await database.write((sql) => sql`analyze`);
    return await work({ database, trends: new PriceTrends(database) });
  } finally {
    await database.close();
    await server.stop();
    await rm(place, { recursive: true, force: true });
  }
}

/** What would have been guessed at that moment; null where too few homes compare. */
async function guess(
  { database, trends }: Valuer,
  listingType: ListingType,
  home: HomeFacts,
  now: number,
): Promise<EstimatedPrice | null> {
  const market = { listingType, currency: 'USD', now, ignoreDisplayRules: false, reach: EVERYTHING };
  const [ranked, slope] = await Promise.all([
    findComparables(database, {
      ...market,
      subject: home,
      radiusKm: ESTIMATE_RADIUS_KM,
      daysOld: ESTIMATE_DAYS_OLD,
      except: [],
    }),
    trends.slope({ ...market, propertyType: home.propertyType, location: home.location }),
  ]);
  const late = ranked.find(({ home: { closedAt } }) => closedAt !== null && Date.parse(closedAt) > now);
  if (late) throw new Error(`${late.home.id} was not closed yet`);
  return estimateFrom(home, ranked, { now, slope });
}

function print(name: string, baseline: string, all: readonly Guess[]): void {
  console.log(`${all.length.toLocaleString('en-US')} ${name} estimated, in ${FOLDS} folds\n`);
  console.log('| | median error | within 10 % | within 20 % | median signed error |\n|---|---|---|---|---|');
  row('the estimate', all, ({ estimated }) => estimated.value);
  row(
    baseline,
    all.filter((each) => each.baseline !== null),
    (each) => each.baseline ?? Number.NaN,
  );
  const widths = all.map(({ estimated: { low, high, value } }) => (high - low) / value);
  console.log(`\nMedian width of low to high: ${percent(median(widths))} of the value.`);
  printCoverage('low to high as they stand', all, () => 1);
  const factors = Array.from({ length: FOLDS }, (_, fold) => factorWithout(all, fold));
  console.log(`\nFactors from the other folds: ${factors.map((factor) => factor.toFixed(3)).join(', ')}`);
  printCoverage('the same with these factors', all, ({ fold }) => factors[fold] ?? 1);
  const months = Map.groupBy(all, ({ closedOn }) => closedOn.slice(0, 7));
  if (months.size < 2) return;
  console.log('\nMedian signed error by month:');
  for (const month of [...months.keys()].toSorted())
    console.log(`${month} ${percent(median((months.get(month) ?? []).map(signed)))}`);
}

function signed({ estimated, paid }: Guess): number {
  return estimated.value / paid - 1;
}

/** How many times its own width the range missed the price by: 1 at its end. */
function missedBy({ estimated: { value, high }, paid }: Guess): number {
  return Math.abs(Math.log(paid / value)) / Math.log(high / value);
}

/** What ranges would have to be multiplied by to hold their level in the other folds. */
function factorWithout(all: readonly Guess[], fold: number): number {
  return percentile(all.filter((each) => each.fold !== fold).map(missedBy), LEVEL);
}

function printCoverage(name: string, all: readonly Guess[], factor: (each: Guess) => number): void {
  const holds = (each: Guess) => missedBy(each) <= factor(each);
  const share = (some: readonly Guess[]) => percent(some.filter(holds).length / some.length);
  const fifths = (key: (each: Guess) => number): string => {
    const sorted = all.toSorted((a, b) => key(a) - key(b));
    return [0, 1, 2, 3, 4]
      .map((fifth) => share(sorted.slice((fifth * sorted.length) / 5, ((fifth + 1) * sorted.length) / 5)))
      .join(', ');
  };
  console.log(`\n${name} held ${share(all)} of the prices; in fifths from small to large`);
  console.log(`  by width: ${fifths(({ estimated }) => estimated.high / estimated.value)}`);
  console.log(`  by estimate: ${fifths(({ estimated }) => estimated.value)}`);
  console.log(`  by price paid: ${fifths(({ paid }) => paid)}`);
}

function row(name: string, all: readonly Guess[], value: (each: Guess) => number): void {
  const errors = all.map((each) => value(each) / each.paid - 1);
  const within = (bound: number) =>
    percent(errors.filter((error) => Math.abs(error) <= bound).length / errors.length);
  const middle = percent(median(errors.map(Math.abs)));
  console.log(`| ${name} | ${middle} | ${within(0.1)} | ${within(0.2)} | ${percent(median(errors))} |`);
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
