// Stage of outages: processes of `freehold serve` on a PostgreSQL server of the machine's own, under load of clients.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import { listingId } from '../../../src/ingest/identity.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import { LISTING_KEYS, startNode, startSource } from '../balancers/serving-nodes.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { quietPort } from '../service/ports.ts';
import type { Upstream } from '../sources/upstream.ts';
import { record } from '../streams/service.ts';
import { type OutageClients, startOutageClients } from './outage-clients.ts';

export interface OutageStageOptions {
  /** Servers of the database, as DATABASE_URL names them; the first one takes writes. */
  readonly servers: readonly { readonly url: string; readonly port: number }[];
  readonly processes: number;
  readonly clients: number;
}

export interface OutageStage {
  readonly clients: OutageClients;
  /** Ends the load, and looks at what is left: what was acknowledged, work for all, reads after it. Throws where anything is wrong. */
  judge(): Promise<void>;
}

/** A key of the stage itself. */
const OWN = 1;

/** Starts the processes, and then the load; everything ends with the test. */
export async function startOutageStage(
  t: Closing,
  { servers, processes, clients: count }: OutageStageOptions,
): Promise<OutageStage> {
  const [first] = servers;
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`).join();
  const databaseUrl = first?.url.replace(/@[^/]*/, `@${addresses}`) ?? '';
  const database = openDatabase({ url: databaseUrl, maxConnections: 2, timeout: 20_000 });
  atEnd(t, () => database.close(100));
  await migrate(database);
  const subscriptions = createLocalSubscriptions(database, systemClock);
  const keys: string[] = [];
  while (keys.length < count + OWN) keys.push((await subscriptions.create({ plan: 'internal' })).key);
  const [own = '', ...others] = keys;
  const upstream = await startSource(t);
  const folder = await temporaryFolder(t, 'outage');
  const urls = await Promise.all(
    Array.from({ length: processes }, async (_, at) => {
      const [host, port] = ['127.0.0.1', await quietPort()];
      await startNode(t, { folder: join(folder, String(at)), databaseUrl, host, port, upstream });
      return `http://${host}:${port}`;
    }),
  );
  const listings = LISTING_KEYS.map((key) => listingId('reso', key)).toSorted();
  for (const url of urls)
    await until('the listings are found', async () => (await findSales(url, own)).length === listings.length);
  const clients = await startOutageClients({ urls, keys: others, listings });
  atEnd(t, async () => void (await clients.stop().catch(() => {})));
  return {
    clients,
    async judge() {
      await clients.until('changed');
      const { created, unknown } = await clients.stop();
      assert.deepEqual(clients.wrong, []);
      await judgeWatchers(database, created, unknown);
      await judgeLiveReads(urls, own, upstream);
    },
  };
}

/** What was acknowledged is there once, and what nobody knows of once at most. */
async function judgeWatchers(
  database: Database,
  created: readonly string[],
  unknown: readonly string[],
): Promise<void> {
  const rows = await database.read(
    (sql) => sql<{ name: string }[]>`select name from watcher where name like 'client %'`,
  );
  const found = rows.map(({ name }) => name);
  assert.ok(created.length > 0);
  assert.deepEqual(
    found.filter((name, at) => found.indexOf(name) !== at),
    [],
    'each once',
  );
  assert.deepEqual(
    created.filter((name) => !found.includes(name)),
    [],
    'what was acknowledged is there',
  );
  const known = [...created, ...unknown];
  assert.deepEqual(
    found.filter((name) => !known.includes(name)),
    [],
    'nothing else is there',
  );
}

/** The source is asked again, and each process shows what one of them has read of it. */
async function judgeLiveReads(urls: readonly string[], key: string, upstream: Upstream): Promise<void> {
  const [listing] = LISTING_KEYS;
  const ModificationTimestamp = new Date(systemClock.now()).toISOString();
  upstream.records.set(listing, { ...record(listing, 777), ModificationTimestamp });
  const authorization = `Bearer ${key}`;
  const id = listingId('reso', listing);
  // While the machine is busy, what was fetched may not be stored in time.
  await until('a stream has the new price', async () => {
    const answer = await fetch(`${urls[0]}/v1/listing/${id}`, { headers: { authorization } });
    return /^event: live\ndata: .*"price":777/m.test(await answer.text());
  });
  for (const url of urls)
    await until('each process shows the new price', async () => {
      const answer = await fetch(`${url}/v1/property/${id}?freshness=cached`, { headers: { authorization } });
      return (await answer.text()).includes('"price":777');
    });
}

async function findSales(url: string, key: string): Promise<readonly object[]> {
  const answer = await fetch(`${url}/v1/search/sales?limit=50`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data = [] } = (await answer.json()) as { readonly data?: readonly object[] };
  return data;
}
