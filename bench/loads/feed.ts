// First load of a feed by RESO, from the sample market in a process of its own, against COPY of the rows that it writes.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Database } from '../../src/postgres/client/database.ts';
import { startArm } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { openEmptyTestbed, row } from './empty-testbed.ts';
import type { FeedLoad } from './feed-arm.ts';
import { copyTable, findWrittenTables, serverProcessor } from './store.ts';

const SAMPLE = join(import.meta.dirname, '../../sample/main.ts');
export const SECRET = 'bench';
const MEGABYTE = 2 ** 20;
/** Of the speed of COPY. */
const MIN_RATIO = 0.25;

/** At most 20,000 records, which is what the sample market has. With the records as they came, and without. */
export async function loadOfFeed(records: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const raw of ['keep', 'none'] as const) rows.push(...(await loadOnce(records, raw)));
  return rows;
}

async function loadOnce(records: number, raw: 'keep' | 'none'): Promise<Row[]> {
  const [testbed, other] = [await openEmptyTestbed(), await openEmptyTestbed()];
  const sample = await startSample(records);
  const how = raw === 'keep' ? 'raw records kept' : 'raw: none';
  try {
    const before = await serverProcessor(testbed.database);
    const arm = await startArm('loads/feed-arm.ts', {
      DATABASE_URL: testbed.databaseUrl,
      FEED_URL: sample.url,
      FEED_SECRET: SECRET,
      RAW: raw,
    });
    const load = (await (await fetch(arm.url)).json()) as FeedLoad;
    const server = (await serverProcessor(testbed.database)) - before;
    await arm.stop();
    const copied = await copyAll(testbed.database, other.database);
    const ratio = copied.milliseconds / load.milliseconds;
    const rate = (milliseconds: number): string => `${Math.round((records * 1_000) / milliseconds)} a second`;
    return [
      row(
        `First load of ${records} records by RESO, ${how}`,
        `${rate(load.milliseconds)}; processor: reader ${seconds(load.processor)}, PostgreSQL ${seconds(server)}; ${(load.resident / MEGABYTE).toFixed()} MB resident at most`,
      ),
      row(
        'COPY of the same rows of all tables, their indexes in place',
        `${rate(copied.milliseconds)}; PostgreSQL ${seconds(copied.processor)}`,
      ),
      {
        name: `The load by RESO against COPY, ${how}`,
        figure: `${ratio.toFixed(2)}; by processor of PostgreSQL alone ${(copied.processor / server).toFixed(2)}`,
        floor: `>= ${MIN_RATIO}`,
        met: ratio >= MIN_RATIO,
      },
    ];
  } finally {
    await sample.stop();
    await testbed.close();
    await other.close();
  }
}

export const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;

/** Copies all rows of the tables that a load has written into the same tables of another database; what that took. */
async function copyAll(from: Database, to: Database) {
  const took = { milliseconds: 0, processor: 0 };
  for (const table of await findWrittenTables(from)) {
    const rows = await from.read((sql) => copyTable(sql, table), { timeout: 0 });
    const [start, before] = [performance.now(), await serverProcessor(to)];
    await to.transaction((tx) => tx.load(tx`copy ${tx(table)} from stdin`, rows), { timeout: 0 });
    took.milliseconds += performance.now() - start;
    took.processor += (await serverProcessor(to)) - before;
  }
  return took;
}

export interface Sample {
  readonly url: string;
  stop(): Promise<void>;
}

/** The sample market, in which nothing happens by itself. */
export async function startSample(listings: number): Promise<Sample> {
  const child = spawn(process.execPath, [SAMPLE, '--interval', '0', '--listings', String(listings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { SAMPLE_CLIENT_ID: 'bench', SAMPLE_CLIENT_SECRET: SECRET },
  });
  return {
    url: await urlOf(child),
    async stop() {
      const ended = once(child, 'close');
      child.stdin?.end();
      await ended;
    },
  };
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout !== null)
    for await (const line of createInterface({ input: stdout }))
      return (JSON.parse(line) as { url: string }).url;
  throw new Error('The sample market ended before it was ready');
}
