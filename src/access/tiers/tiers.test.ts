// Proves the order of the tiers, page sizes, and that a tiers file is read strictly.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  anonymous,
  atLeast,
  CADENCES,
  isCadenceAllowed,
  limitAccount,
  ownerOf,
  PLANS,
  pageSize,
  publicOwner,
  TIERS,
} from './tiers.ts';
import { findTierFaults, readTiersFile } from './tiers-file.ts';

test('each tier reaches itself and those below it, none above', () => {
  const ladder = ['anonymous', ...PLANS] as const;
  for (const [rank, tier] of ladder.entries()) {
    for (const [needed, name] of ladder.entries())
      assert.equal(atLeast(tier, name), rank >= needed, `${tier} ${name}`);
  }
  assert.throws(() => atLeast('pro', 'platinum'), /no tier called platinum/);
});

test('a page is what was asked for, twenty by default, never above the maximum of the tier', () => {
  assert.equal(pageSize(TIERS.anonymous), 10);
  assert.equal(pageSize(TIERS.free), 20);
  assert.equal(pageSize(TIERS.free, 26), 25);
  assert.equal(pageSize(TIERS.pro, 7), 7);
});

test('a tier allows its fastest cadence and slower ones', () => {
  const allowed = (plan: keyof typeof TIERS) =>
    CADENCES.filter((each) => isCadenceAllowed(TIERS[plan], each));
  assert.deepEqual(allowed('free'), ['daily', 'weekly']);
  assert.deepEqual(allowed('pro'), ['instant', 'hourly', 'daily', 'weekly']);
});

test('an owner is the customer where known, else the subscription, and is shown to others as a hash alone', () => {
  const bySubscription = ownerOf({ customer: null, subscription: 'x' });
  const byCustomer = ownerOf({ customer: 'x', subscription: 'sub_1' });
  assert.equal(byCustomer, ownerOf({ customer: 'x', subscription: 'sub_2' }));
  assert.notEqual(
    bySubscription,
    byCustomer,
    'a customer is never taken for a subscription of the same name',
  );
  assert.match(publicOwner(byCustomer), /^own_[\w-]{22}$/);
  assert.notEqual(publicOwner(byCustomer), publicOwner(bySubscription));
  assert.equal(publicOwner(byCustomer), publicOwner('cus:x'));
});

test('grants of one address share its limit, and those of a subscription that of its owner', () => {
  const token = { ...anonymous('192.0.2.1'), kind: 'token', tier: 'free', account: 'free:ab' } as const;
  const accounts = ['1', '2'].map((grant) => limitAccount({ ...token, grant, owner: `grant:${grant}` }));
  assert.deepEqual(accounts, ['free:ab', 'free:ab']);
  assert.equal(limitAccount({ ...token, account: 'sub:s', subscription: 's', owner: 'cus:c' }), 'cus:c');
});

test('a tiers file replaces the numbers it names and leaves the others', async (t) => {
  const file = await fileWith(
    t,
    '{"free": {"minute": 5, "month": null, "refresh": 3600}, "internal": {"live": false, "cadence": "hourly"}}',
  );
  const tiers = await readTiersFile(file);
  assert.deepEqual(tiers.free, { ...TIERS.free, minute: 5, month: null, refresh: 3_600_000 });
  assert.deepEqual(tiers.internal, { ...TIERS.internal, live: false, cadence: 'hourly' });
  assert.deepEqual(tiers.pro, TIERS.pro);
});

test('every fault of a tiers file is named at once', async (t) => {
  const faults = {
    gold: { minute: 1 },
    free: { minute: 0, hour: 3, live: 'yes' },
    pro: {
      page: 1.5,
      streams: null,
      watchers: -1,
      cadence: 'yearly',
      feeds: null,
      refresh: 59,
      events: 'many',
    },
    business: [],
  };
  const lines = findTierFaults(faults);
  const named = lines.map((line) => line.slice(0, line.indexOf(':'))).toSorted();
  assert.deepEqual(named, [
    'business',
    'free.hour',
    'free.live',
    'free.minute',
    'gold',
    'pro.cadence',
    'pro.events',
    'pro.feeds',
    'pro.page',
    'pro.refresh',
    'pro.streams',
    'pro.watchers',
  ]);
  const file = await fileWith(t, JSON.stringify(faults));
  await assert.rejects(readTiersFile(file), (error: Error) =>
    lines.every((line) => error.message.includes(line)),
  );
});

test('a tiers file that is missing or no JSON is refused with its name', async (t) => {
  await assert.rejects(readTiersFile('/nowhere/tiers.json'), /\/nowhere\/tiers\.json cannot be read/);
  await assert.rejects(readTiersFile(await fileWith(t, '{')), /is not JSON/);
  assert.equal(findTierFaults(3).length, 1);
});

async function fileWith(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tiers-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'tiers.json');
  await writeFile(file, text);
  return file;
}
