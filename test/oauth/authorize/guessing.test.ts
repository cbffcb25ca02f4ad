// Tests of guessing keys on the consent page: it is slow, and locks nobody else out.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { guessAtConsent } from '../../support/guard/consent.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

async function guarded(t: TestContext) {
  const provider = stubProvider();
  const environment = { TRUSTED_PROXIES: '127.0.0.1' };
  return { provider, service: await startService(t, { overrides: { provider }, environment }) };
}

test('R33: of a thousand keys from one address ten are looked at in a minute, and good keys there stay good', async (t) => {
  const { service, provider } = await guarded(t);
  const result = await guessAtConsent(service, provider, { guesses: 1_000, addresses: 1 });
  assert.deepEqual(result, {
    wrong: { 401: 10, 429: 990 },
    good: { 303: 10 },
    newcomer: 303,
    questions: 10,
    later: 303,
  });
});

test('R33: four thousand wrong keys from a thousand addresses are each refused, and good keys stay good', async (t) => {
  const { service, provider } = await guarded(t);
  const result = await guessAtConsent(service, provider, { guesses: 4_000, addresses: 1_000 });
  // What bounds the calls of a payment service is its budget, which a provider in this database does not need.
  assert.deepEqual(result, {
    wrong: { 401: 4_000 },
    good: { 303: 40 },
    newcomer: 303,
    questions: 4_000,
    later: 303,
  });
});
