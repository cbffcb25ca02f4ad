// Proof that a database that ends under load is an honest pause: no wrong answer, and everything goes on after it.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type ChaosApp, startChaosApp } from '../support/chaos/app.ts';
import { newReaders, readOn } from '../support/chaos/readers.ts';
import { endProcess, isReady, postmasterOf } from '../support/chaos/service.ts';
import { until } from '../support/check/until.ts';

const READERS = 8;
/** Milliseconds in which the service must be well once the database is. */
const LIMIT = 5_000;

interface Page {
  readonly data: readonly { readonly id: string; readonly provider: { readonly listingKey: string } }[];
}

async function page(app: ChaosApp, path: string): Promise<Page> {
  const answer = await app.get(path, app.keys.internal);
  return (await answer.json()) as Page;
}

/** The same listings in the same order as before: what depends on the time is left out. */
const idsOf = (text: string): string => (JSON.parse(text) as Page).data.map(({ id }) => id).join();

/** Ends the server and waits until the service is well again; gives the milliseconds from the server's start on. */
async function interrupt(app: ChaosApp, signal: NodeJS.Signals): Promise<number> {
  const said = () => app.lines.filter((line) => line === 'PostgreSQL is running again').length;
  const before = said();
  endProcess((await postmasterOf(app.dataDirectory))?.pid ?? 0, signal);
  // A read at that moment is retried, and may find the next server: readiness need not have noticed.
  await until('anybody tells of it', async () => said() > before || !(await isReady(app.url)));
  await until('the server runs again', async () => said() > before);
  const begun = systemClock.monotonic();
  await until('the service is ready again', () => isReady(app.url));
  return systemClock.monotonic() - begun;
}

async function provesListening(app: ChaosApp): Promise<void> {
  const subscriptions = createLocalSubscriptions(app.database, systemClock);
  const { id, key } = await subscriptions.create({ plan: 'internal' });
  assert.equal((await app.get('/v1/usage', key)).status, 200);
  await subscriptions.revoke(id);
  // A key that was good is believed for ten minutes, unless a listener tells otherwise.
  await until('the key is refused', async () => (await app.get('/v1/usage', key)).status === 401);
}

async function underLoad(t: TestContext, app: ChaosApp, work: () => Promise<void>): Promise<void> {
  const path = '/v1/search/sales?limit=50&sort=price';
  const expected = idsOf(await (await app.get(path, app.keys.internal)).text());
  const judge = (text: string) => (idsOf(text) === expected ? undefined : 'other listings than before');
  const readers = newReaders(app.keys.internal, { path, judge });
  const stopping = new AbortController();
  const reading = Array.from({ length: READERS }, () => readOn(app.url, readers, stopping.signal));
  await work().finally(() => stopping.abort());
  await Promise.all(reading);
  const { counted, refused, slowest } = readers;
  t.diagnostic(`${counted} right, ${refused} refused, the slowest after ${Math.round(slowest)} ms`);
  assert.deepEqual(readers.wrong, []);
  assert.ok(counted > 0 && refused > 0);
}

test('a database that is stopped at once or killed under load costs honest 503s only, and everything goes on after it', async (t) => {
  const app = await startChaosApp(t, { source: 'sample' });
  const [rental] = (await page(app, '/v1/search/rentals?limit=1')).data;
  assert.ok(rental !== undefined);
  await underLoad(t, app, async () => {
    for (const [signal, price] of [
      ['SIGQUIT', 4_321],
      ['SIGKILL', 5_432],
    ] as const) {
      const took = await interrupt(app, signal);
      t.diagnostic(`${signal}: ready ${Math.round(took)} ms after the server`);
      assert.ok(took < LIMIT, `${took} ms`);
      await app.control('/control/change', { key: rental.provider.listingKey, set: { ListPrice: price } });
      await until('replication goes on', async () => {
        const answer = await app.get(
          `/v1/search/rentals?minPrice=${price}&maxPrice=${price}`,
          app.keys.internal,
        );
        const { data = [] } = (await answer.json()) as Partial<Page>;
        return data.some(({ id }) => id === rental.id);
      });
      await provesListening(app);
    }
  });
  assert.equal(app.app.replication?.status().failure, null);
});
