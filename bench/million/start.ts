// Start of a service among a million listings, and how soon a search shows what was committed.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { median, percentile } from '../statistics.ts';
import { type Arm, startService } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { headersFor, UNCOUNTED } from './compared.ts';
import { listingsOf } from './drafts.ts';
import { SOURCE } from './rows.ts';
import type { LargeTestbed } from './testbed.ts';
import { country } from './towns.ts';

const STARTS = 3;
/** Seconds. */
const GOALS = { database: 10, file: 5 } as const;
const COMMITS = 200;
const SIZES = [1, 100] as const;
/** Milliseconds. */
const VISIBLE_GOAL = 50;
const FOLDER = 'start';

/** Leaves the market as it was, but for prices of a hundred listings. */
export async function startsAndCommits(testbed: LargeTestbed): Promise<Row[]> {
  const drafts = activeSales(testbed, Math.max(...SIZES));
  // A column file belongs to a log that has changes.
  await commit(testbed, drafts, 1);
  const fromDatabase: number[] = [];
  const fromFile: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    await rm(join(testbed.folder, FOLDER), { recursive: true, force: true });
    fromDatabase.push(await timeStart(testbed, untilFiled));
    fromFile.push(await timeStart(testbed, async () => {}));
  }
  return [
    startRow('from the database', fromDatabase, GOALS.database),
    startRow('from its file of columns', fromFile, GOALS.file),
    ...(await visibleRows(testbed, drafts)),
  ];
}

const start = (testbed: LargeTestbed): Promise<Arm> => startService(testbed, FOLDER, UNCOUNTED);

/** Seconds from the start of a process to its first answer to a search. */
async function timeStart(
  testbed: LargeTestbed,
  then: (testbed: LargeTestbed) => Promise<void>,
): Promise<number> {
  const begun = performance.now();
  const service = await start(testbed);
  try {
    await untilAnswered(testbed, service);
    const took = (performance.now() - begun) / 1_000;
    await then(testbed);
    return took;
  } finally {
    await service.stop();
  }
}

async function untilAnswered({ key }: LargeTestbed, { url }: Arm): Promise<void> {
  for (;;) {
    const { status, body } = await fetch(`${url}/v1/search/sales`, { headers: headersFor(key) });
    await body?.cancel();
    if (status === 200) return;
    if (status !== 503) throw new Error(`A search was answered by ${status}`);
    await pause(20);
  }
}

/** Until the service has written its columns, under their last name. */
async function untilFiled({ folder }: LargeTestbed): Promise<void> {
  const hasFile = async () => (await readdir(join(folder, FOLDER), { recursive: true })).some(isColumnFile);
  while (!(await hasFile())) await pause(100);
}

const isColumnFile = (path: string): boolean => path.endsWith('search-columns');

function startRow(what: string, seconds: readonly number[], goal: number): Row {
  const figure = `${median(seconds).toFixed(1)} s (${seconds.map((each) => each.toFixed(1)).join(', ')})`;
  const name = `from the start of a process to its first answer, columns ${what}`;
  return { name, figure, floor: `<= ${goal} s`, met: median(seconds) <= goal };
}

function activeSales({ loaded }: LargeTestbed, count: number): ListingDraft[] {
  const { towns } = country(loaded.seed);
  const drafts: ListingDraft[] = [];
  for (let home = 0; drafts.length < count; home++) {
    const draft = listingsOf(towns, loaded.seed, home, loaded.today).at(-1)?.draft;
    if (draft?.status === 'ACTIVE' && draft.listingType === 'sale' && draft.display.listing)
      drafts.push(draft);
  }
  return drafts;
}

/** Gives all of them this price. */
async function commit({ database }: LargeTestbed, drafts: readonly ListingDraft[], price: number) {
  const catalogue = createCatalogue(database);
  const priced = drafts.map((draft) => ({ ...draft, listPrice: price }));
  await database.transaction((tx) => catalogue.write(tx, SOURCE, priced, Date.now()));
}

async function visibleRows(testbed: LargeTestbed, drafts: readonly ListingDraft[]): Promise<Row[]> {
  const service = await start(testbed);
  try {
    await untilAnswered(testbed, service);
    const rows: Row[] = [];
    for (const size of SIZES) rows.push(await visibleRow(testbed, service, drafts.slice(0, size)));
    return rows;
  } finally {
    await service.stop();
  }
}

/** A search for a price that nothing had is repeated until it finds all that was committed with it. */
async function visibleRow(
  testbed: LargeTestbed,
  { url }: Arm,
  drafts: readonly ListingDraft[],
): Promise<Row> {
  const times: number[] = [];
  for (let round = -COMMITS / 10; round < COMMITS; round++) {
    const price = 900_000_000 + 1_000 * drafts.length + round;
    await commit(testbed, drafts, price);
    const committed = performance.now();
    const found = `${url}/v1/search/sales?limit=1&fields=id&minPrice=${price}&maxPrice=${price}`;
    for (let total = 0; total < drafts.length; ) {
      const answer = await fetch(found, { headers: headersFor(testbed.key) });
      total = ((await answer.json()) as { total: { value: number } | null }).total?.value ?? 0;
    }
    if (round >= 0) times.push(performance.now() - committed);
  }
  const [half, most] = [median(times), percentile(times, 0.99)];
  return {
    name: `from a commit of ${drafts.length} to a search that finds all of it`,
    figure: `p50 ${half.toFixed(1)} ms, p99 ${most.toFixed(1)} ms`,
    floor: `p99 <= ${VISIBLE_GOAL} ms`,
    met: most <= VISIBLE_GOAL,
  };
}
