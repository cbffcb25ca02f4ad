// Proof that guessing keys is throttled, from one address and from many, and that it harms nobody with a good key.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../support/database/database.ts';
import { type Answered, serveGuarded, tally } from '../support/guard/service.ts';
import { manualClock } from '../support/service/clock.ts';
import { keyNumber, stubProvider } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });

test('ten thousand bad keys from one address are 401 sixty times a minute, then 429; good keys there stay good', async (t) => {
  const clock = manualClock();
  const provider = stubProvider();
  const service = await serveGuarded(t, { database, clock, provider });
  const good = provider.subscribe('internal');
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  assert.equal((await service.ask({ key: good, headers })).status, 200);
  const bad: Promise<Answered>[] = [];
  const goodAnswers: Promise<Answered>[] = [];
  for (let number = 0; number < 10_000; number++) {
    bad.push(service.ask({ key: keyNumber(number), headers }));
    if (number % 100 === 0) goodAnswers.push(service.ask({ key: good, headers }));
    if (number % 500 === 0) await Promise.all(bad);
  }
  assert.deepEqual(tally(await Promise.all(bad)), { '401 INVALID_API_KEY': 60, '429 RATE_LIMITED': 9_940 });
  assert.deepEqual(tally(await Promise.all(goodAnswers)), { 200: 100 });
  assert.equal(provider.calls, 61);
  clock.advance(600_000);
  for (let number = 0; number < 60; number++) await service.ask({ key: keyNumber(number), headers });
  assert.equal((await service.ask({ key: good, headers })).status, 200, 'queried anew all the same');
});

test('ten thousand bad keys from a thousand addresses are refused, and good keys stay good', async (t) => {
  const clock = manualClock();
  const provider = stubProvider();
  const service = await serveGuarded(t, { database, clock, provider });
  const good = provider.subscribe('internal');
  const from = (number: number) => ({ 'x-forwarded-for': `10.1.${number >> 8}.${number & 255}` });
  assert.equal((await service.ask({ key: good, headers: from(0) })).status, 200);
  const bad: Promise<Answered>[] = [];
  const goodAnswers: Promise<Answered>[] = [];
  for (let number = 0; number < 10_000; number++) {
    bad.push(service.ask({ key: keyNumber(number), headers: from(number % 1_000) }));
    if (number % 100 === 0) goodAnswers.push(service.ask({ key: good, headers: from(number % 1_000) }));
    if (number % 500 === 0) await Promise.all(bad);
  }
  const elsewhere = { 'x-forwarded-for': '2001:db8::1' };
  const newcomer = await service.ask({ key: provider.subscribe('pro'), headers: elsewhere });
  assert.equal(newcomer.status, 200, 'also a key that was never seen, from elsewhere');
  const counts = tally(await Promise.all(bad));
  assert.deepEqual(counts, { '401 INVALID_API_KEY': 10_000 });
  assert.deepEqual(tally(await Promise.all(goodAnswers)), { 200: 100 });
  clock.advance(600_000);
  assert.equal((await service.ask({ key: good, headers: from(0) })).status, 200);
});
