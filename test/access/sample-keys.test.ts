// Proof of what becomes of the sample keys over restarts, lost files and lost databases.

import assert from 'node:assert/strict';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ensureFirstKeys, ensureSampleKeys, keyVariable } from '../../src/access/keys/sample-keys.ts';
import { listWithUsage } from '../../src/access/providers/subscription-list-store.ts';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { PLANS } from '../../src/access/tiers/tiers.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const { database } = await testDatabase({ after });
const clock = manualClock();
const { provider, revoke } = createLocalSubscriptions(database, clock);
const list = () => database.read((sql) => listWithUsage(sql, '2026-01-01'));
const signal = new AbortController().signal;

test('the first start makes one key of each tier, in a file for its owner alone that a shell can read', async (t) => {
  const file = join(await temporaryFolder(t, 'keys'), 'keys.env');
  const { keys, created } = await ensureSampleKeys({ database, clock, file });
  assert.equal(created, true);
  for (const plan of PLANS) {
    const verdict = await provider.validate(keys[plan], { signal });
    assert.equal(verdict.state === 'active' && verdict.tier, plan);
  }
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    lines,
    PLANS.map((plan) => `${keyVariable(plan)}=${keys[plan]}`),
  );
});

test('later starts keep the keys and the file, also those that the operator revoked', async (t) => {
  const file = join(await temporaryFolder(t, 'keys'), 'keys.env');
  const first = await ensureSampleKeys({ database, clock, file });
  const [newest] = await list();
  assert.ok(newest !== undefined);
  await revoke(newest.id);
  const text = await readFile(file, 'utf8');
  assert.deepEqual(await ensureSampleKeys({ database, clock, file }), { keys: first.keys, created: false });
  assert.equal(await readFile(file, 'utf8'), text);
});

test('a lost file means new keys, and the old ones end', async (t) => {
  const file = join(await temporaryFolder(t, 'keys'), 'keys.env');
  const old = await ensureSampleKeys({ database, clock, file });
  await rm(file);
  const renewed = await ensureSampleKeys({ database, clock, file });
  assert.equal(renewed.created, true);
  for (const plan of PLANS) {
    assert.deepEqual(await provider.validate(old.keys[plan], { signal }), { state: 'expired' });
    assert.equal((await provider.validate(renewed.keys[plan], { signal })).state, 'active');
  }
});

test('a file whose keys the database does not know is written anew', async (t) => {
  const file = join(await temporaryFolder(t, 'keys'), 'keys.env');
  const old = await ensureSampleKeys({ database, clock, file });
  await database.write((sql) => sql`delete from subscription`);
  const { keys, created } = await ensureSampleKeys({ database, clock, file });
  assert.equal(created, true);
  assert.notDeepEqual(keys, old.keys);
  assert.ok((await readFile(file, 'utf8')).includes(keys.internal));
});

test('two processes that start together agree on one set of keys', async (t) => {
  const file = join(await temporaryFolder(t, 'keys'), 'keys.env');
  const [one, two] = await Promise.all([1, 2].map(() => ensureSampleKeys({ database, clock, file })));
  assert.deepEqual(one?.keys, two?.keys);
  assert.deepEqual([one?.created, two?.created].toSorted(), [false, true]);
});

test('for data of the operator keys are made at the first start alone, and thrown away they do not come back', async (t) => {
  await database.write((sql) => sql`delete from subscription`);
  const file = join(await temporaryFolder(t, 'keys'), 'keys.env');
  const first = await ensureFirstKeys({ database, clock, file });
  assert.equal(first?.created, true);
  for (const plan of PLANS)
    assert.equal((await provider.validate(first?.keys[plan] ?? '', { signal })).state, 'active', plan);
  assert.deepEqual(await ensureFirstKeys({ database, clock, file }), { keys: first?.keys, created: false });
  await rm(file);
  assert.equal(await ensureFirstKeys({ database, clock, file }), null);
  await assert.rejects(stat(file), { code: 'ENOENT' });
});
