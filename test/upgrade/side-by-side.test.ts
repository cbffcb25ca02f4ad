// Proof that a process of the former release goes on while one of this checkout updates the schema and works beside it.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { listingId } from '../../src/ingest/identity.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { pendingMigrations } from '../../src/postgres/migrations/migrate.ts';
import { startClientLoad } from '../support/balancers/client-load.ts';
import { followFeed } from '../support/balancers/followed-feed.ts';
import { LISTING_KEYS, sourceSettings, startSource } from '../support/balancers/serving-nodes.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { atEnd, emptyDatabase, temporaryFolder } from '../support/database/database.ts';
import { type CliRun, readyUrl, startCli } from '../support/process/cli.ts';
import { findFormerCommit, unpackCommit } from '../support/upgrade/former-code.ts';
import { sendWatcher } from '../support/watch/watchers.ts';

/** The last migration that took something away: code before it cannot work beside this checkout. */
const LAST_CONTRACTION = 74;
const commit = await findFormerCommit(LAST_CONTRACTION);
const REQUESTS = 400;

test('a process of the former release and one of this checkout serve one database at once: no request of either fails', {
  skip: commit === null ? 'the history of this checkout does not go back to the former release' : false,
}, async (t) => {
  const { database, url: databaseUrl } = await emptyDatabase(t);
  const folder = await temporaryFolder(t, 'beside');
  const upstream = await startSource(t);
  const launcher = await unpackCommit(t, commit ?? '');
  const start = async (name: string, options: { readonly launcher?: string }): Promise<CliRun> => {
    const own = join(folder, name);
    await mkdir(own);
    const environment = {
      ...sourceSettings(upstream),
      DATABASE_URL: databaseUrl,
      DATA_DIR: own,
      PORT: '0',
      SECRETS_KEY: Buffer.alloc(32, 8).toString('base64'),
    };
    return startCli(t, ['serve'], { folder: own, environment, ...options });
  };
  const former = await start('former', { launcher });
  const formerUrl = await untilReady(former);
  const pending = await pendingMigrations(database);
  assert.ok(pending.length > 0, 'the former release has an older schema');

  const subscriptions = createLocalSubscriptions(database, systemClock);
  const keys: string[] = [];
  while (keys.length < 4) keys.push((await subscriptions.create({ plan: 'internal' })).key);
  const [watching = ''] = keys;
  const body = { name: 'sales', target: { type: 'search', listingType: 'sale', query: {} } };
  assert.equal((await sendWatcher({ url: formerUrl }, 'POST', '', { key: watching, body })).status, 201);
  const listings = LISTING_KEYS.map((key) => listingId('reso', key));
  await until('the listings are loaded', () => isServed(formerUrl, listings, watching));
  const formerLoad = startClientLoad({ url: formerUrl, keys, listings });
  atEnd(t, async () => void (await formerLoad.stop()));
  await until('the load goes on', () => formerLoad.answered() > REQUESTS);

  const current = await start('current', {});
  const currentUrl = await untilReady(current);
  assert.deepEqual(await pendingMigrations(database), []);
  const currentLoad = startClientLoad({ url: currentUrl, keys, listings });
  atEnd(t, async () => void (await currentLoad.stop()));
  const feeds = [formerUrl, currentUrl].map((url) => followFeed(url, watching));
  atEnd(t, async () => {
    for (const feed of feeds) await feed.stop();
  });
  await until('both feeds are open', () => feeds.every(({ streams }) => streams() === 1));
  // Whichever of the two matches watchers.
  const catalogue = createCatalogue(database);
  for (let home = 1; home <= 10; home++) {
    const added = [draft(`home-${home}`, { listPrice: 100_000 })];
    await database.transaction((tx) => catalogue.write(tx, 'test', added, systemClock.now()));
  }
  await until('both feeds have every event', () => feeds.every(({ events }) => new Set(events).size === 10));
  assert.deepEqual(feeds[0]?.events, feeds[1]?.events);
  const [before, after] = [formerLoad.answered(), currentLoad.answered()];
  await until(
    'both loads go on',
    () => formerLoad.answered() > before + REQUESTS && currentLoad.answered() > after + REQUESTS,
  );

  for (const outcomes of [await formerLoad.stop(), await currentLoad.stop()])
    assert.deepEqual(Object.keys(outcomes).toSorted(), [
      'create 201',
      'read 200',
      'search 200',
      'stream 200 cached,live,done',
    ]);
  former.kill('SIGTERM');
  assert.equal((await former.ended).code, 0);
  assert.ok(await isServed(currentUrl, listings, watching));
});

async function untilReady(run: CliRun): Promise<string> {
  let url = '';
  await until('the service is ready', async () => {
    url = readyUrl(run.stdout()) ?? '';
    if (/cannot start/.test(run.stdout())) throw new Error(run.stdout() + run.stderr());
    return url !== '' && (await fetch(`${url}/readyz`)).status === 200;
  });
  return url;
}

async function isServed(url: string, listings: readonly string[], key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const answers = await Promise.all(
    listings.map((id) => fetch(`${url}/v1/property/${id}?freshness=cached`, { headers })),
  );
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.every(({ status }) => status === 200);
}
