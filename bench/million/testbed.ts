// Testbed of the large benchmark: the filled cluster on core 1, and the names that queries use.

import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import type { Testbed } from '../testbed.ts';
import { type Loaded, readLoaded } from './load.ts';
import type { Known } from './questions.ts';

export interface LargeTestbed extends Testbed {
  readonly known: Known;
  readonly loaded: Loaded;
  /** The folder that holds it. */
  readonly cluster: string;
}

const LISTINGS = 1_000_000;

/** Opens the cluster in the folder, filling it first where nobody has. */
export async function openLargeTestbed(cluster: string, listings = LISTINGS): Promise<LargeTestbed> {
  const program = join(import.meta.dirname, 'load.ts');
  // On both cores, where this process and all that it starts have but one.
  const load = ['-c', '0,1', process.execPath, program, cluster, String(listings)];
  if (!(await readLoaded(cluster))) execFileSync('taskset', load, { stdio: 'inherit' });
  const loaded = await readLoaded(cluster);
  if (loaded?.listings !== listings) throw new Error(`${cluster} does not hold ${listings} listings`);
  const server = await startEmbedded({ dataDirectory: cluster, log: () => {} });
  const database = openDatabase({ socket: server.connection, timeout: 0 });
  await migrate(database);
  await warm(join(cluster, 'postgres', 'cluster', 'base'));
  const folder = await mkdtemp(join(tmpdir(), 'freehold-bench-'));
  const { key } = await createLocalSubscriptions(database, systemClock).create({ plan: 'internal' });
  const known = await findKnown(database);
  return {
    database,
    databaseUrl: socketUrl(server.connection),
    folder,
    key,
    ids: known.listings,
    loaded,
    cluster,
    known,
    async close() {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What questions name of a loaded catalogue. */
export async function findKnown(database: Database): Promise<Known> {
  const areas = await database.read(
    (sql) => sql<{ id: string; type: string; reference: string }[]>`
      select id, type, external_id as reference from area where type in ('city', 'state') order by no`,
  );
  const active = await database.read(
    (sql) => sql<{ id: string }[]>`
      select id from listing_search where status = 'ACTIVE' and displayed and property_type <> 'LAND'
      order by id limit 5000`,
  );
  return {
    cities: new Map(areas.filter(({ type }) => type === 'city').map(({ id, reference }) => [reference, id])),
    states: areas.filter(({ type }) => type === 'state').map(({ id }) => id),
    listings: active.map(({ id }) => id),
  };
}

/** Reads every table and index once, so that nothing measured waits for the disk. */
export async function warm(base: string): Promise<void> {
  for (const file of await readdir(base, { recursive: true, withFileTypes: true })) {
    // Others come and go.
    if (!file.isFile() || !/^\d/.test(file.name)) continue;
    for await (const _ of createReadStream(join(file.parentPath, file.name), { highWaterMark: 2 ** 20 }));
  }
}
