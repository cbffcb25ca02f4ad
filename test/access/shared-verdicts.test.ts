// Proof that processes share what a payment service says, tell each other of changes, and never keep an older answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProviderUnavailable } from '../../src/access/tiers/provider.ts';
import type { VerdictTable } from '../../src/billing/verdict-table.ts';
import { active, type MemoryService } from '../support/billing/memory-service.ts';
import {
  ageOf,
  hearChanges,
  makeOlder,
  startKnown,
  startVerdicts,
  TOLERANCE,
  tierOf,
} from '../support/billing/verdict-processes.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });
const { signal } = new AbortController();

/** How often the table has been read from now on. */
function countReads(table: VerdictTable): { readonly count: number } {
  const reads = { count: 0 };
  const read = table.read.bind(table);
  table.read = async (subject) => {
    const found = await read(subject);
    reads.count++;
    return found;
  };
  return reads;
}

test('what one process has asked, the others read, with its age', async (t) => {
  const { service, start } = startVerdicts(t, database);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('business');
  assert.deepEqual(await first.validate(key), active(reference, 'business'));
  const read = await second.validate(key.toLowerCase());
  assert.equal(tierOf(read), 'business');
  assert.ok(ageOf(read) >= TOLERANCE);
  await makeOlder(database, reference, 470_000);
  const old = ageOf(await second.validate(key));
  assert.ok(old >= 470_000 + TOLERANCE && old < 500_000, String(old));
  assert.equal(tierOf(await second.verdicts.refresh(reference, { signal })), 'business');
  assert.deepEqual(service.questions, [key], 'one question for all of this');
});

test('what is no key of anybody is never stored', async (t) => {
  const { service, start } = startVerdicts(t, database);
  const { validate, verdicts } = start();
  const before = await database.read((sql) => sql`select from subscription_verdict`);
  assert.deepEqual(await validate(keyNumber(77)), { state: 'unknown' });
  assert.deepEqual(await verdicts.refresh('sub_nobody', { signal }), { state: 'unknown' });
  assert.deepEqual(await verdicts.renew('sub_nobody'), { state: 'unknown' });
  const pending = service.subscribe('pro');
  service.change(pending.reference, { state: 'unknown', reason: 'pending' });
  assert.deepEqual(await validate(pending.key), { state: 'unknown', reason: 'pending' });
  const stored = await database.read((sql) => sql`select from subscription_verdict`);
  assert.equal(stored.length, before.length);
  service.change(pending.reference, active(pending.reference));
  assert.equal(tierOf(await validate(pending.key)), 'pro');
});

test('a subscription that the service has forgotten is refused, and comes back if the service knows it again', async (t) => {
  const { service, validate, key, reference } = await startKnown(t, database);
  const status = service.statusOf(reference);
  const lost = service.find;
  service.find = async () => null;
  assert.deepEqual(await validate(key, true), { state: 'unknown' });
  assert.deepEqual(await validate(key), { state: 'unknown' });
  service.find = lost;
  assert.deepEqual(await validate(key, true), status);
});

test('another key for a subscription replaces the first one, and ends its grants once', async (t) => {
  const { service, start, ended } = startVerdicts(t, database);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('pro');
  await first.validate(key);
  const next = service.rekey(reference);
  assert.deepEqual(await second.validate(key, true), { state: 'unknown', reason: 'replaced' });
  assert.deepEqual(ended, [reference]);
  assert.equal(tierOf(await first.validate(next)), 'pro');
  assert.deepEqual(await first.validate(key), { state: 'unknown' });
  assert.deepEqual(ended, [reference]);
});

test('a key that moves to another subscription is taken from the first one', async (t) => {
  const { service, ended, validate, verdicts, key, reference } = await startKnown(t, database);
  const other = service.subscribe('business');
  const find = service.find;
  service.find = async (asked, left) => {
    const verdict = await find(asked, left);
    return asked === other.reference && verdict
      ? { ...verdict, keyHash: hashOf(await find(reference, left)) }
      : verdict;
  };
  await verdicts.renew(other.reference);
  assert.deepEqual(ended, [reference]);
  assert.equal(tierOf(await validate(key)), 'business');
});

function hashOf(verdict: Awaited<ReturnType<MemoryService['find']>>): Buffer | null {
  return verdict?.keyHash ?? null;
}

test('every process hears of a change once, of nothing else, and of a new subscription when it is renewed', async (t) => {
  const { service, start } = startVerdicts(t, database);
  const heard = await hearChanges(t, database);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('free');
  await first.validate(key);
  await second.verdicts.renew(reference);
  service.change(reference, active(reference, 'business'));
  await Promise.all([first.verdicts.renew(reference), second.verdicts.renew(reference)]);
  assert.equal(tierOf(await first.validate(key)), 'business');
  const bought = service.subscribe('pro');
  await first.verdicts.renew(bought.reference);
  const last = service.subscribe('pro');
  await second.verdicts.renew(last.reference);
  await until('the last one is heard of', () => heard.includes(last.reference));
  assert.deepEqual(heard, [reference, bought.reference, last.reference]);
});

test('a question for a decision of the moment is asked past every verdict and every question under way', async (t) => {
  const { service, validate, verdicts, key, reference } = await startKnown(t, database);
  service.mode = 'wait';
  await makeOlder(database, reference, 600_000);
  const slow = validate(key);
  await until('it is asked', () => service.waiting.length === 1);
  service.change(reference, { state: 'expired' });
  service.mode = 'answer';
  assert.deepEqual(await validate(key, true), { state: 'expired' });
  assert.deepEqual(await verdicts.refresh(reference, { signal, fresh: true }), { state: 'expired' });
  service.waiting.shift()?.answer();
  assert.deepEqual(await slow, { state: 'expired' }, 'a later answer is there');
});

test('who asks about the same at the same time shares one question, dated from its beginning', async (t) => {
  const { service, start } = startVerdicts(t, database);
  const { validate, clock, table } = start();
  const { key } = service.subscribe('pro');
  const reads = countReads(table);
  service.mode = 'wait';
  const first = validate(key);
  await until('it is asked', () => service.waiting.length === 1);
  clock.advance(1_500);
  const second = validate(key);
  await until('it has read the table', () => reads.count === 2);
  await new Promise((resolve) => setImmediate(resolve));
  service.waiting.shift()?.answer();
  assert.equal(ageOf(await first), 0);
  const joined = ageOf(await second);
  assert.ok(joined >= 1_500, String(joined));
  assert.equal(service.questions.length, 1);
});

test('an answer about another subscription is no answer', async (t) => {
  const { service, start } = startVerdicts(t, database);
  const { validate } = start();
  const [one, other] = [service.subscribe('pro'), service.subscribe('internal')];
  await validate(one.key);
  const { find } = service;
  service.find = (_, left) => find(other.reference, left);
  await assert.rejects(validate(one.key, true), ProviderUnavailable);
  service.find = async (asked, left) => {
    const verdict = await find(asked, left);
    return verdict && { ...verdict, status: active(other.reference, 'internal') };
  };
  await assert.rejects(validate(one.key, true), ProviderUnavailable);
  assert.equal(tierOf(await validate(one.key)), 'pro');
});
