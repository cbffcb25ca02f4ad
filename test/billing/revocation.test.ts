// Proof of the whole way: what changes at the payment service reaches every process by its event, at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MANY_CALLS, startPayingService } from '../support/billing/paying-service.ts';
import { assertEvery } from '../support/check/every.ts';
import { until } from '../support/check/until.ts';
import { startSecondService } from '../support/service/second-service.ts';

for (const provider of ['polar', 'stripe'] as const) {
  test(`a subscription that is revoked or changed at ${provider} is so in both processes once its event has come, in no time at all`, async (t) => {
    const { shop, service, ask: askAt } = await startPayingService(t, provider);
    const overrides = { callLimits: MANY_CALLS };
    const second = await startSecondService(t, service, overrides, undefined, shop.environment);
    const ask = (key: string) =>
      Promise.all(
        [service.url, second.url].map(async (url) => {
          const [status, said] = await askAt(key, url);
          return `${status} ${said}`;
        }),
      );
    const startedAt = service.clock.monotonic();
    const [key, other] = [await shop.buy('pro'), await shop.buy('pro')];
    await shop.sendEvents(service.url);
    for (const each of [key, other])
      await until('both processes take the key', async () =>
        (await ask(each)).every((answer) => answer === '200 pro'),
      );
    shop.changePlan(key, 'business');
    assert.deepEqual(await ask(key), ['200 pro', '200 pro'], 'nobody has told');
    assertEvery(await shop.sendEvents(service.url), (status) => status === 200);
    await until('both processes know the plan', async () =>
      (await ask(key)).every((answer) => answer === '200 business'),
    );
    shop.cancel(key);
    assert.deepEqual(await ask(key), ['200 business', '200 business'], 'nobody has told');
    assertEvery(await shop.sendEvents(service.url), (status) => status === 200);
    await until('both processes refuse the key', async () =>
      (await ask(key)).every((answer) => answer === '401 EXPIRED_API_KEY'),
    );
    assert.deepEqual(await ask(other), ['200 pro', '200 pro']);
    assert.equal(service.clock.monotonic(), startedAt, 'no time has passed');
  });
}
