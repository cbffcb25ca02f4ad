// Incremental rounds of a feed by RESO among its records, against bare SQL that writes the same rows in the same transactions.

import { openDatabase } from '../../src/postgres/client/database.ts';
import { type Arm, startArm } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { openEmptyTestbed, row } from './empty-testbed.ts';
import { type Sample, SECRET, seconds, startSample } from './feed.ts';
import type { FeedLoad } from './feed-arm.ts';
import { type ListedKey, listedKeys, nextTransaction, type Replay, replay, writtenSince } from './replay.ts';
import { serverProcessor } from './store.ts';

/** Of the speed of bare SQL. */
const MIN_RATIO = 0.5;
/** Of all records, one in so many is changed. */
const CHANGED = 4;
const JSON_TYPE = { 'content-type': 'application/json' };
/** Changes that are made at once. */
const TOGETHER = 50;

/** One in four of the records changed in price, status or remarks, and then all of them touched without a change. */
export async function incrementalRounds(records: number): Promise<Row[]> {
  const testbed = await openEmptyTestbed();
  const sample = await startSample(records);
  const closings: (() => Promise<void>)[] = [sample.stop, testbed.close];
  try {
    const loader = await startReader(testbed.databaseUrl, sample);
    await (await fetch(loader.url)).json();
    await loader.stop();
    await testbed.database.write((sql) => sql`analyze`);
    // The same files, so that both begin with the same tables and indexes.
    const twin = openDatabase({ url: await testbed.twin(), maxConnections: 1, timeout: 0 });
    closings.unshift(() => twin.close());
    const reader = await startReader(testbed.databaseUrl, sample);
    closings.unshift(reader.stop);
    await (await fetch(reader.url)).json();
    const keys = await listedKeys(testbed.database);
    const changed = keys.filter((_, at) => at % CHANGED === 0);
    const rounds = [
      [`Round with ${changed.length} changes of price, status or remarks`, changed, setOf, MIN_RATIO],
      [`Round after a mass update of ${keys.length} records that changed nothing`, keys, untouched, null],
    ] as const;
    const rows: Row[] = [];
    for (const [name, touched, change, floor] of rounds) {
      await changeAll(sample, touched, change);
      const first = await nextTransaction(testbed.database);
      const before = await serverProcessor(testbed.database);
      const load = (await (await fetch(`${reader.url}/round`)).json()) as FeedLoad;
      const server = (await serverProcessor(testbed.database)) - before;
      const written = await writtenSince(testbed.database, first);
      const sql = await replay(twin, written);
      rows.push(...rowsOf(name, touched.length, { load, server, sql, floor }));
    }
    return rows;
  } finally {
    for (const close of closings) await close();
  }
}

interface Measured {
  readonly load: FeedLoad;
  readonly server: number;
  readonly sql: Replay;
  readonly floor: number | null;
}

function rowsOf(name: string, count: number, { load, server, sql, floor }: Measured): Row[] {
  const rate = (milliseconds: number): string => `${Math.round((count * 1_000) / milliseconds)} a second`;
  const ratio = sql.milliseconds / load.milliseconds;
  return [
    row(
      name,
      `${rate(load.milliseconds)}; processor: reader ${seconds(load.processor)}, PostgreSQL ${seconds(server)}`,
    ),
    row(
      '… its rows by bare SQL',
      `${rate(sql.milliseconds)}; ${sql.rows} rows in ${sql.transactions} transactions; PostgreSQL ${seconds(sql.processor)}`,
    ),
    {
      name: '… against bare SQL',
      figure: `${ratio.toFixed(2)}; by processor of PostgreSQL alone ${(sql.processor / server).toFixed(2)}`,
      floor: floor === null ? '' : `>= ${floor.toFixed(2)}`,
      met: floor === null || ratio >= floor,
    },
  ];
}

const startReader = (databaseUrl: string, sample: Sample): Promise<Arm> =>
  startArm('loads/feed-arm.ts', {
    DATABASE_URL: databaseUrl,
    FEED_URL: sample.url,
    FEED_SECRET: SECRET,
  });

type Change = (listing: ListedKey, at: number) => Readonly<Record<string, unknown>>;

/** In turn another price, another status, another text. */
const setOf: Change = ({ price, statusRaw, description }, at) => {
  if (at % 3 === 0) return { ListPrice: (price ?? 100_000) + 1_000 };
  if (at % 3 === 1) return { StandardStatus: statusRaw === 'Pending' ? 'Active' : 'Pending' };
  return { PublicRemarks: `${description ?? ''} Shown by appointment.` };
};

/** The time of modification alone moves. */
const untouched: Change = ({ city }) => ({ City: city });

async function changeAll(sample: Sample, listings: readonly ListedKey[], change: Change): Promise<void> {
  for (let from = 0; from < listings.length; from += TOGETHER)
    await Promise.all(
      listings.slice(from, from + TOGETHER).map(async (listing, at) => {
        const body = JSON.stringify({ key: listing.key, set: change(listing, from + at) });
        const answer = await fetch(`${sample.url}/control/change`, {
          method: 'POST',
          body,
          headers: JSON_TYPE,
        });
        if (!answer.ok) throw new Error(`The sample refuses a change: ${await answer.text()}`);
      }),
    );
}
