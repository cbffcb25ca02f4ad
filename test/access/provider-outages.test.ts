// Proof of what a provider at its worst cannot do: keep a revoked key alive, lock out a good one, or be overrun.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertEvery } from '../support/check/every.ts';
import { createRandom } from '../support/check/random.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { FAULTS, type Fault, faultyProvider } from '../support/guard/provider.ts';
import { runRevocations } from '../support/guard/revocation.ts';
import { serveGuarded, tally } from '../support/guard/service.ts';
import { manualClock } from '../support/service/clock.ts';
import { stubProvider } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });

test('a revoked key is let in by none of two services 600 s after its end, whatever the provider does', async (t) => {
  const result = await runRevocations(t, database, { keys: 60, seed: 14 });
  assert.ok(result.longest <= 600_000, `${result.longest} ms`);
  assert.ok(result.longest > 599_000, `the worst case was not reached: ${result.longest} ms`);
  assert.deepEqual(result.wrong, []);
});

for (const fault of FAULTS.filter((each) => each !== 'slow')) {
  test(`keys stay good for 600 s without a provider that is ${fault}, then are 503, never 401`, async (t) => {
    const clock = manualClock();
    const provider = faultyProvider(clock, createRandom(13));
    const service = await serveGuarded(t, { database, clock, provider });
    provider.faults = ['none'];
    const keys = Array.from({ length: 20 }, () => provider.subscribe('internal'));
    const askAll = async () => {
      const answers = Promise.all(keys.map((key) => service.ask({ key })));
      const done = { yet: false };
      void answers.then(() => (done.yet = true));
      // Whoever waits for the provider waits five seconds at most.
      for (let turn = 0; !done.yet; turn++) {
        if (turn > 50) clock.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return answers;
    };
    assert.deepEqual(tally(await askAll()), { 200: keys.length });
    provider.faults = [fault] satisfies Fault[];
    const begun = clock.monotonic();
    for (const moment of [1, 300_000, 479_999, 480_000, 520_000, 599_999]) {
      clock.advance(begun + moment - clock.monotonic());
      assert.deepEqual(tally(await Promise.all(keys.map((key) => service.ask({ key })))), {
        200: keys.length,
      });
    }
    clock.advance(begun + 600_000 - clock.monotonic());
    for (let round = 0; round < 3; round++) {
      const answers = await askAll();
      assert.deepEqual(tally(answers), { '503 SUBSCRIPTIONS_UNAVAILABLE': keys.length });
      assertEvery(answers, ({ retryAfter }) => retryAfter !== null && retryAfter >= 1);
      clock.advance(1_000);
    }
    provider.faults = ['none'];
    clock.advance(10_000);
    assert.deepEqual(tally(await askAll()), { 200: keys.length });
  });
}

test('a thousand requests whose key has just run out cost two services one question each', async (t) => {
  const clock = manualClock();
  const provider = stubProvider();
  const serve = () => serveGuarded(t, { database, clock, provider });
  const services = [await serve(), await serve()];
  const key = provider.subscribe('internal');
  for (const service of services) assert.equal((await service.ask({ key })).status, 200);
  for (let expiry = 1; expiry <= 3; expiry++) {
    clock.advance(600_000);
    provider.mode = 'wait';
    const requests = Array.from({ length: 1_000 }, (_, at) => services[at % 2]?.ask({ key }));
    await until('the provider is queried', () => provider.calls >= 2 + expiry * 2);
    provider.mode = 'answer';
    provider.settle();
    const answers = await Promise.all(requests);
    assertEvery(answers, (answer) => answer?.status === 200);
    assert.equal(provider.calls, 2 + expiry * 2);
  }
});
