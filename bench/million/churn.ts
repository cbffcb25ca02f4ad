// One day of the large benchmark: a tenth of the active rentals end and as many begin, written by the catalogue.

import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { random } from '../market.ts';
import type { Row } from '../throughput.ts';
import { listingsOf, type SeenDraft } from './drafts.ts';
import { markDay } from './load.ts';
import { SOURCE } from './rows.ts';
import type { LargeTestbed } from './testbed.ts';
import { country, type Town } from './towns.ts';

const SHARE = 0.1;
const BATCH = 500;
const DAY = 86_400_000;
/** Homes of a day have numbers that no home of the load or of another day has. */
const NUMBERS_OF_DAY = 50_000_000;

/** Ends and adds rentals; tells how many, and how many writes a second that made. A day that was broken off goes on. */
export async function dayOfRentals(testbed: LargeTestbed): Promise<Row[]> {
  const { loaded, cluster } = testbed;
  const day = loaded.days + 1;
  const { towns } = country(loaded.seed);
  const at = loaded.today + day * DAY;
  const ended = endings(towns, loaded, day).map((draft) => endedAt(draft, at));
  const come = arrivals(towns, loaded, day, ended.length);
  const { created, changed, seconds } = await written(testbed, [...ended, ...come], at);
  await markDay(cluster, { ...loaded, days: day });
  const rate = (created + changed) / seconds;
  const figure = `${changed} rentals ended, ${created} came, ${rate.toFixed(0)} a second in batches of ${BATCH}`;
  return [{ name: `Day ${day} of churn`, figure, floor: '', met: true }];
}

/** What of the drafts was news, and how long writing that took: batches without any count for nothing. */
async function written({ database }: LargeTestbed, drafts: readonly Draft[], at: number) {
  const catalogue = createCatalogue(database);
  let [created, changed, seconds] = [0, 0, 0];
  for (let first = 0; first < drafts.length; first += BATCH) {
    const batch = drafts.slice(first, first + BATCH);
    const begun = performance.now();
    const applied = await database.transaction((tx) => catalogue.write(tx, SOURCE, batch, at));
    if (applied.created + applied.changed > 0) seconds += (performance.now() - begun) / 1000;
    created += applied.created;
    changed += applied.changed;
    if (first % (BATCH * 10) === 0)
      process.stdout.write(`  ${first + batch.length} of ${drafts.length} after ${seconds.toFixed(0)} s\n`);
  }
  return { created, changed, seconds };
}

interface Day {
  readonly seed: number;
  readonly today: number;
  readonly homes: number;
}

type Draft = SeenDraft['draft'];

/** Active rentals that are drawn to end; those drawn on an earlier day end again, which writes nothing. */
function endings(towns: readonly Town[], { seed, today, homes }: Day, day: number): Draft[] {
  const next = random(seed + day);
  const drafts: Draft[] = [];
  for (let number = 0; number < homes; number++)
    if (next() < SHARE) drafts.push(...activeRentals(towns, seed, number, today));
  return drafts;
}

function arrivals(towns: readonly Town[], { seed, today }: Day, day: number, count: number): Draft[] {
  const drafts: Draft[] = [];
  for (let number = day * NUMBERS_OF_DAY; drafts.length < count; number++)
    drafts.push(...activeRentals(towns, seed, number, today + day * DAY));
  return drafts.slice(0, count);
}

const activeRentals = (towns: readonly Town[], seed: number, number: number, today: number): Draft[] =>
  listingsOf(towns, seed, number, today)
    .map(({ draft }) => draft)
    .filter(({ status, listingType }) => status === 'ACTIVE' && listingType === 'rental');

const endedAt = (draft: Draft, at: number): Draft => ({
  ...draft,
  status: 'CLOSED',
  closePrice: draft.listPrice,
  closedAt: new Date(at).toISOString().slice(0, 10),
  statusChangedAt: new Date(at).toISOString(),
});
