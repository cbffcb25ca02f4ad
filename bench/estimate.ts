// Owns the measurement of estimates: real sales that were held back, guessed by the service's own code and two baselines.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import { findComparables } from '../src/market/comparables.ts';
import {
  ESTIMATE_DAYS_OLD,
  ESTIMATE_RADIUS_KM,
  type Estimated,
  estimateFrom,
} from '../src/market/estimate.ts';
import { type Database, openDatabase } from '../src/postgres/database.ts';
import { startEmbedded } from '../src/postgres/embedded.ts';
import { migrate } from '../src/postgres/migrate.ts';
import { areaBaseline, draftOfSale, nearestBaseline, partOf, readSales, type Sale } from './sales.ts';
import { median } from './statistics.ts';

const BATCH = 1_000;

interface Guess {
  readonly sale: Sale;
  readonly estimated: Estimated;
  readonly area: number;
  readonly nearest: number;
}

/** `validation`: the part that the method was tuned on. Default: the part that was held back. */
const part = process.argv[2] === 'validation' ? 'validation' : 'held back';
const folder = process.env.FREEHOLD_TEST_DATA ?? join(import.meta.dirname, '../../shared/data');
const sales = await readSales(folder);
const subjects = sales.filter(({ parcel }) => partOf(parcel) === part);
const known = sales.filter(({ parcel }) =>
  part === 'validation' ? partOf(parcel) === 'known' : partOf(parcel) !== 'held back',
);
const guesses = await withMarket(known, async (database) => {
  const all: (Guess | null)[] = [];
  for (const sale of subjects) all.push(await guessed(database, sale));
  return all.filter((guess) => guess !== null);
});
print(guesses);

/** A database that knows just these sales. */
async function withMarket<T>(market: readonly Sale[], work: (database: Database) => Promise<T>): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), 'freehold-estimate-'));
  const server = await startEmbedded({ dataDirectory: place, log: () => {}, durable: false });
  const database = openDatabase({ socket: server.connection, timeout: 0 });
  try {
    await migrate(database);
    const catalogue = createCatalogue(database);
    for (let first = 0; first < market.length; first += BATCH) {
      const drafts = market.slice(first, first + BATCH).map(draftOfSale);
      await database.transaction((tx) => catalogue.apply(tx, 'sales', drafts, Date.parse('2015-06-01')));
    }
    await database.write((sql) => sql`analyze`);
    return await work(database);
  } finally {
    await database.close();
    await server.stop();
    await rm(place, { recursive: true, force: true });
  }
}

/** What would have been guessed the moment before the day of the sale; null where one of the three has no answer. */
async function guessed(database: Database, sale: Sale): Promise<Guess | null> {
  const ranked = await findComparables(database, {
    ...{ subject: sale.home, listingType: 'sale', currency: 'USD' },
    ...{ radiusKm: ESTIMATE_RADIUS_KM, daysOld: ESTIMATE_DAYS_OLD },
    ...{ except: [], now: Date.parse(sale.closedOn) - 1, ignoreDisplayRules: false },
  });
  const late = ranked.find(({ home }) => (home.closedAt ?? '').slice(0, 10) >= sale.closedOn);
  if (late) throw new Error(`${late.home.id} was not closed yet`);
  const estimated = estimateFrom(sale.home, ranked);
  const [area, nearest] = [areaBaseline(known, sale), nearestBaseline(known, sale)];
  return estimated && area !== null && nearest !== null ? { sale, estimated, area, nearest } : null;
}

function print(all: readonly Guess[]): void {
  const count = (value: number) => value.toLocaleString('en-US');
  console.log(
    `${count(all.length)} of ${count(subjects.length)} sales (${part}), ${count(known.length)} known\n`,
  );
  console.log('| | median error | within 10 % | within 20 % |\n|---|---|---|---|');
  row('the estimate', all, ({ estimated }) => estimated.value);
  row('five nearest, median price per area', all, ({ nearest }) => nearest);
  row('postal code, median price per area', all, ({ area }) => area);
  const inside = all.filter(
    ({ sale, estimated }) => sale.price >= estimated.low && sale.price <= estimated.high,
  );
  const widths = all.map(({ estimated: { low, high, value } }) => (high - low) / value);
  const bias = median(all.map(({ sale, estimated }) => estimated.value / sale.price - 1));
  console.log(`\nlow to high held ${percent(inside.length / all.length)} of the prices paid.`);
  console.log(`Its median width is ${percent(median(widths))} of the value.`);
  console.log(`Median signed error: ${percent(bias)}.`);
}

function row(name: string, all: readonly Guess[], guess: (each: Guess) => number): void {
  const errors = all.map((each) => Math.abs(guess(each) / each.sale.price - 1));
  const within = (bound: number) => percent(errors.filter((error) => error <= bound).length / errors.length);
  console.log(`| ${name} | ${percent(median(errors))} | ${within(0.1)} | ${within(0.2)} |`);
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
