// Testbed of the benchmarks: a database on core 1, servers on core 0, load from wrk on core 1.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalSubscriptions } from '../src/access/providers/subscription-store.ts';
import { requireFreePort } from '../src/http/server/listen-address.ts';
import { createCatalogue } from '../src/ingest/listing-writer.ts';
import { systemClock } from '../src/lib/clock.ts';
import { socketUrl } from '../src/postgres/client/connection-url.ts';
import { type Database, openDatabase } from '../src/postgres/client/database.ts';
import { startEmbedded } from '../src/postgres/embedded/embedded.ts';
import { migrate } from '../src/postgres/migrations/migrate.ts';
import { marketDrafts } from './market.ts';

export interface Testbed {
  readonly database: Database;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly key: string;
  /** Ids of some listings. */
  readonly ids: readonly string[];
  close(): Promise<void>;
}

const SEED = 1;

/** A database with this many listings and one Pro key. This process, and so PostgreSQL, should be pinned to core 1. */
export async function openTestbed(listings: number): Promise<Testbed> {
  const folder = await mkdtemp(join(tmpdir(), 'freehold-bench-'));
  const server = await startEmbedded({ dataDirectory: folder, log: () => {} });
  const database = openDatabase({ socket: server.connection, timeout: 0 });
  await migrate(database);
  const catalogue = createCatalogue(database);
  let ids: string[] = [];
  for (let first = 0; first < listings; first += 1_000) {
    const drafts = marketDrafts(SEED, first, Math.min(1_000, listings - first));
    const applied = await database.transaction((tx) => catalogue.write(tx, 'bench', drafts, Date.now()));
    ids = [...applied.ids.values()];
  }
  await database.write((sql) => sql`analyze`);
  const { key } = await createLocalSubscriptions(database, systemClock).create({ plan: 'pro' });
  return {
    database,
    databaseUrl: socketUrl(server.connection),
    folder,
    key,
    ids,
    async close() {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Arm {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** One processor, one thread that collects garbage: four of them keep each other, and the requests, from it. */
const NODE_OPTIONS = '--expose-gc --v8-pool-size=1';

/** That of servers; the database and the load have another one. */
export const ARM_PROCESSOR = 0;

/** Starts a program of this folder on core 0; it gets PORT and says `ready`. */
export async function startArm(program: string, environment: Record<string, string>): Promise<Arm> {
  const port = await requireFreePort('127.0.0.1', 0);
  const child = spawn(
    'taskset',
    ['-c', `${ARM_PROCESSOR}`, process.execPath, join(import.meta.dirname, program)],
    {
      env: { PATH: process.env.PATH, PORT: String(port), NODE_OPTIONS, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  // Where a measurement fails, nobody else would end it.
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  await ready(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    process.off('exit', end);
    end();
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error('An arm of the benchmark ended before it was ready')));
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('ready')) resolve();
    });
  });
}

/** The service as an arm: no source, tiers as given, log quiet. */
export async function startService(
  testbed: Testbed,
  name: string,
  tiers: object,
  environment: Record<string, string> = {},
): Promise<Arm> {
  return startArm('service.ts', {
    DATABASE_URL: testbed.databaseUrl,
    SOURCE: 'none',
    LOG_LEVEL: 'warn',
    TIERS_FILE: await writeTiers(testbed, name, tiers),
    DATA_DIR: join(testbed.folder, name),
    ...environment,
  });
}

/** Writes a tiers file of this name; gives its path. */
export async function writeTiers(testbed: Testbed, name: string, tiers: object): Promise<string> {
  const file = join(testbed.folder, `${name}.json`);
  await writeFile(file, JSON.stringify(tiers));
  return file;
}

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Seconds of processor that the server used. */
  readonly processor: number;
}

/** Loads a path with wrk for some seconds, without pipelining. Throws when an answer is not a success. */
export function load(
  arm: Arm,
  path: string,
  headers: Record<string, string>,
  seconds: number,
): Promise<Load> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return loadWith(arm, [...given, `${arm.url}${path}`], seconds);
}

/** Connections that wrk keeps busy. */
export const CONCURRENCY = 16;

/** How long wrk waits for an answer: longer than the service lets any statement take. */
const PATIENCE = '15s';

/** The same with arguments for wrk that say what is asked. */
export async function loadWith(arm: Arm, given: readonly string[], seconds: number): Promise<Load> {
  const before = await processorSeconds(arm.pid);
  const options = ['-t1', `-c${CONCURRENCY}`, `-d${seconds}s`, '--timeout', PATIENCE];
  const wrk = spawn('taskset', ['-c', '1', 'wrk', ...options, ...given]);
  let text = '';
  wrk.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await new Promise((resolve) => wrk.once('close', resolve));
  const processor = (await processorSeconds(arm.pid)) - before;
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`wrk met failures:\n${text}`);
  const [, requests = '0', took = '1'] = /(\d+) requests in ([\d.]+)s/.exec(text) ?? [];
  return { requests: Number(requests), seconds: Number(took), processor };
}

/** From /proc: user and system time, in ticks of a hundredth of a second. */
async function processorSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** What the figures were measured with. */
export async function conditions(testbed: Testbed): Promise<string> {
  const version = await testbed.database.serverVersion();
  const [row] = await testbed.database.read(
    (sql) => sql<{ fsync: string }[]>`select current_setting('fsync') as fsync`,
  );
  const kernel = execFileSync('uname', ['-r']).toString().trim();
  return `Node ${process.versions.node}, PostgreSQL ${version}, fsync ${row?.fsync}, Linux ${kernel}`;
}
