// Proof that a restored database waits: before its operator accepts it nothing goes out and no key counts unconfirmed; of a copy nothing ever goes out.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Mirror } from '../../src/billing/mirror.ts';
import { createPaymentApi } from '../../src/billing/payment-api.ts';
import { polarHeaders } from '../../src/billing/polar/polar-api.ts';
import { createPolarService } from '../../src/billing/polar/polar-service.ts';
import { makeHarmless } from '../../src/cli/restore/make-harmless.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { acceptState, markRestore, readState } from '../../src/postgres/state/state-store.ts';
import { openWatchDatabase, watchState } from '../../src/postgres/state/state-watch.ts';
import { MANY_CALLS } from '../support/billing/paying-service.ts';
import { startPolarShop } from '../support/billing/polar/polar-service.ts';
import { startStripeServer } from '../support/billing/stripe/stripe-server.ts';
import {
  beginCheckout,
  RETURN,
  stripeEnvironment,
  stripeService,
} from '../support/billing/stripe/stripe-service.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';
import { parseEvents } from '../support/sources/live-service.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';
import type { ReadPage } from '../support/watch/event-service.ts';
import { untilMatched } from '../support/watch/matching-oracle.ts';
import { sendWatcher } from '../support/watch/watchers.ts';

const closing = { after };
const { signal } = new AbortController();
// Payment services tell time in whole seconds.
const clock = manualClock(Math.floor(Date.now() / 1_000) * 1_000);
const created = await testDatabase(closing);
const { database } = created;

const stripe = await startStripeServer(closing, { clock, faults: false });
const price = stripe.account.addPlan('pro', { amount: 2_900, currency: 'eur' });
const kept = await buyKey();
const ended = await buyKey();

/** A key that was bought and used before the backup, so that the archive calls it active. */
async function buyKey(): Promise<{ readonly key: string; readonly subscription: string }> {
  const seller = stripeService(closing, { server: stripe, database, clock });
  const mirror = new Mirror({ database, clock, service: seller.service, endGrants: async () => {} });
  const { key, session } = await beginCheckout(seller, price);
  const { id } = stripe.account.complete(session);
  assert.equal((await mirror.validate(key, { signal })).state, 'active');
  await mirror.close();
  return { key, subscription: id };
}

const memory = memorySource();
memory.put(draftOf('a'), '2026-01-01T00:00:00.000Z');
let rounds = 0;
const ownSource: typeof memory = {
  ...memory,
  pages(from, stopping) {
    rounds++;
    return memory.pages(from, stopping);
  },
};
const ids = await database.transaction(
  async (tx) => (await createCatalogue(database).write(tx, memory.id, [draftOf('a')], clock.now())).ids,
);
const listing = ids.get('a') ?? '';

// What a restore leaves behind.
const markRestored = () =>
  database.transaction(async (tx) => {
    await makeHarmless(tx, false);
    await markRestore(tx, 'restored', new Date(clock.now()).toISOString());
  });
await markRestored();
// Since the backup one of the keys has ended; and the payment service is silent at first.
stripe.account.cancel(ended.subscription);
stripe.intercept = () => true;

const watched = openWatchDatabase({ url: created.url });
const databaseState = watchState({
  database: watched,
  state: await watched.read(readState),
  report: (error) => assert.fail(String(error)),
  clock,
});
atEnd(closing, async () => {
  await databaseState.stop();
  await watched.close();
});
const service = await startService(closing, {
  clock,
  ownSource,
  databaseState,
  createDatabase: async () => created,
  keepsKeys: true,
  environment: stripeEnvironment(stripe),
  overrides: { callLimits: MANY_CALLS },
});
const write = writer(service);

const isRequested = (subscription: string): boolean =>
  stripe.requests.some(({ path }) => path.endsWith(`/${subscription}`));
const use = async ({ key }: { readonly key: string }): Promise<number> =>
  (await service.get('/v1/usage', key)).status;

test('a key counts only once the payment service has confirmed it', async () => {
  stripe.requests.length = 0;
  const answers: number[] = [];
  const answered = use(kept).then((status) => answers.push(status));
  await until('it waits for the payment service', () => isRequested(kept.subscription) || answers.length > 0);
  clock.advance(MINUTE);
  await answered;
  stripe.intercept = null;
  assert.deepEqual(answers, [503]);
  assert.equal(isRequested(ended.subscription), false);
  clock.advance(MINUTE);
  assert.equal(await use(ended), 401);
  assert.ok(isRequested(ended.subscription));
  assert.equal(await use(kept), 200);
});

test('before the database is accepted nothing goes out', async () => {
  for (const body of [
    { target: { type: 'search', listingType: 'sale', query: {} }, cadence: 'hourly' },
    { target: { type: 'listing', listingId: listing } },
  ]) {
    const { status, text } = await sendWatcher(service, 'POST', '', { key: kept.key, body });
    assert.equal(status, 201, text);
  }
  await assertSilent();
});

test('of a copy nothing ever goes out', async () => {
  await accept(true);
  await assertSilent();
});

test('once it is accepted, everything that has waited goes on', async () => {
  // A copy stays one: this stands for another restore of the backup.
  await markRestored();
  await databaseState.look();
  await assertSilent();
  await accept(false);
  await until('the source is read', () => rounds > 0);
  await until('the digest is in the log', async () => (await digests()).length > 0);
  clock.advance(MINUTE);
  const [, live] = await readLive();
  assert.equal(live?.event, 'live');
  assert.ok(memory.fetched.includes('a'));
  assert.equal(await beginPurchase(), 200);
  assert.equal(purchases(), 1);
  const metrics = await readMetrics();
  for (const name of OUTGOING_METRICS) assert.match(metrics, name);
});

/** Of work that starts once the database is accepted. */
const OUTGOING_METRICS = [/freehold_digest_lag_seconds/, /freehold_watch_refreshes_total/];
const readMetrics = async (): Promise<string> => (await service.get('/metrics')).text();

let homes = 0;

async function assertSilent(): Promise<void> {
  // A change that its watcher notices, an hour at whose end a digest is due, and a change that is noticed after that.
  for (let round = 0; round < 2; round++) {
    await write(draft(`home-${++homes}`, { listPrice: 400_000 }));
    await untilMatched(database);
    clock.advance(HOUR);
    assert.equal(await use(kept), 200);
  }
  const [waiting] = await database.read((sql) => sql`select count(*)::int as count from watch_digest`);
  assert.equal(waiting?.count, 1);
  assert.deepEqual(await digests(), []);
  const [, failure] = await readLive();
  assert.equal(failure?.event, 'error');
  assert.match(failure?.data ?? '', /upstream_unavailable.*before its operator accepts it/);
  assert.deepEqual([rounds, memory.fetched], [0, []]);
  assert.equal(await beginPurchase(), 503);
  assert.equal(purchases(), 0);
  const metrics = await readMetrics();
  for (const name of OUTGOING_METRICS) assert.doesNotMatch(metrics, name);
}

async function accept(asCopy: boolean): Promise<void> {
  assert.ok(await database.write((sql) => acceptState(sql, asCopy)));
  await databaseState.look();
}

async function digests() {
  const { data }: ReadPage = await service.json('/v1/events?limit=100', kept.key);
  return data.filter(({ type }) => type === 'watcher.digest');
}

/** What the stream of the source's listing sends. */
async function readLive() {
  const answer = await service.get(`/v1/listing/${listing}`, kept.key, { accept: 'text/event-stream' });
  assert.equal(answer.status, 200);
  return parseEvents(await answer.text());
}

async function beginPurchase(): Promise<number> {
  const body = new URLSearchParams({ price });
  return (await fetch(`${service.url}/billing/checkout`, { method: 'POST', body })).status;
}

/** Those that the payment service was requested to make since the service has started. */
const purchases = (): number =>
  stripe.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/checkout/sessions'))
    .length;

test('of Polar, too, keys are confirmed while no checkout is made', async (t) => {
  const { server, products, settings } = await startPolarShop(t, { faults: false, now: clock.now });
  const api = createPaymentApi({
    clock,
    apiUrl: settings.apiUrl,
    headers: polarHeaders(settings),
    budget: { reserve: async () => {} },
    mayWrite: () => false,
  });
  atEnd(t, () => api.close());
  const polar = createPolarService({ settings, api, clock });
  const { key } = server.world.keyOf(server.world.subscribe(products.pro));
  assert.equal((await polar.findKey(key, signal))?.status.state, 'active');
  await assert.rejects(
    polar.createCheckout({ priceId: products.pro.id, ...RETURN }, signal),
    (error: Error) => {
      assert.match(String(error.cause), /before this restored database is accepted/);
      return true;
    },
  );
  assert.deepEqual(
    server.requests.filter(({ path }) => path.includes('checkouts')),
    [],
  );
});
