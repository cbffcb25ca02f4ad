// Proves that keys from elsewhere are imported once, with their plans and ends, and that faults are told by line and without keys.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  createLocalSubscriptions,
  SUBSCRIPTIONS_CHANNEL,
} from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { listen } from '../../src/postgres/client/listen.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const newKey = (): string => `SERVICE-${randomUUID()}`.toUpperCase();
const [FIRST, SECOND, THIRD] = [newKey(), newKey(), newKey()];
const signal = new AbortController().signal;

/** A database with the command beside it: `run` imports a file with this text. */
async function stage(t: TestContext, environment: Record<string, string> = {}) {
  const { database, url } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'import');
  const options = { folder, environment: { DATABASE_URL: url, ...environment } };
  return {
    database,
    async run(text: string, ...flags: string[]) {
      await writeFile(join(folder, 'keys'), text);
      const end = await runCommand(['subscriptions', 'import', 'keys', ...flags], options);
      assert.ok(!/SERVICE-[0-9A-F]/i.test(end.stdout + end.stderr), 'no key is printed');
      return end;
    },
    list: async () => {
      const { stdout } = await runCommand(['subscriptions', 'list', '--json'], options);
      return (JSON.parse(stdout) as { subscriptions: Record<string, unknown>[] }).subscriptions;
    },
    verdict: (key: string) =>
      createLocalSubscriptions(database, systemClock).provider.validate(key, { signal }),
  };
}

test('a file of keys is imported with plans, ends, customers and labels, and again without effect', async (t) => {
  const { run, list, verdict, database } = await stage(t);
  const file = [
    'key,plan,endsAt,customer,label',
    `${FIRST},pro,2099-12-31,acme,"Acme, Homes"`,
    `${SECOND.toLowerCase()},free,,,`,
    `${THIRD},business,2020-01-31T12:00:00+02:00,old,Gone`,
  ].join('\n');
  const first = await run(file);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^3 created, 0 changed, 0 unchanged, 0 not imported\.$/m);
  const { subscription, ...active } = (await verdict(FIRST)) as Record<string, unknown>;
  assert.match(String(subscription), /^sub_[0-9a-f]{24}$/);
  assert.deepEqual(active, {
    state: 'active',
    customer: 'acme',
    tier: 'pro',
    endsAt: Date.UTC(2099, 11, 31),
  });
  assert.equal((await verdict(SECOND)).state, 'active');
  assert.equal((await verdict(THIRD)).state, 'expired');
  const again = await run(file, '--json');
  assert.deepEqual(JSON.parse(again.stdout), { rows: 3, created: 0, changed: 0, unchanged: 3, refused: [] });
  const listed = await list();
  assert.equal(listed.length, 3);
  const row = listed.find(({ customer }) => customer === 'acme');
  assert.deepEqual([row?.plan, row?.label, row?.keyHint], ['pro', 'Acme, Homes', FIRST.slice(-4)]);
  const [{ text } = { text: '' }] = await database.read(
    (sql) => sql<{ text: string }[]>`select string_agg(subscription::text, ' ') as text from subscription`,
  );
  for (const key of [FIRST, SECOND, THIRD]) assert.ok(!text.toUpperCase().includes(key.slice(8)));
});

test('a later file changes plans, ends and labels, keeps what it does not name, and every process hears of it', async (t) => {
  const { run, list, database } = await stage(t);
  const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  await run(
    lines(
      { key: FIRST, plan: 'pro', endsAt: '2099-01-01', customer: 'acme', label: 'Acme' },
      { key: SECOND, plan: 'pro' },
    ),
  );
  const heard: string[] = [];
  let isListening = false;
  const listener = listen(
    database,
    SUBSCRIPTIONS_CHANNEL,
    (id) => void heard.push(id),
    () => {
      isListening = true;
    },
  );
  t.after(() => listener.close());
  await until('the test listens', () => isListening);
  const changed = await run(
    lines({ key: FIRST, plan: 'business', endsAt: null }, { key: SECOND, plan: 'pro' }),
  );
  assert.match(changed.stdout, /^0 created, 1 changed, 1 unchanged, 0 not imported\.$/m);
  const row = (await list()).find(({ customer }) => customer === 'acme');
  assert.deepEqual([row?.plan, row?.endsAt, row?.label], ['business', null, 'Acme']);
  await until('the change is heard', () => heard.length > 0);
  assert.deepEqual(heard, [row?.id]);
});

test('every fault of a file is told by its line, with the remedy, and nothing is imported', async (t) => {
  const { run, list } = await stage(t);
  const file = [
    'key,plan,endsAt,customer,label',
    `${FIRST},pro,,,`,
    'SERVICE-1234,pro,,,',
    `${SECOND},gold,,,`,
    `${SECOND},pro,2026-02-30,,`,
    `${THIRD},,,,`,
    `${FIRST},free,,,`,
    `${newKey()},pro,,,${'x'.repeat(201)}`,
    `${newKey()},pro`,
  ].join('\n');
  for (const flags of [['--dry-run'], []]) {
    const { code, stdout, stderr } = await run(file, ...flags);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /Nothing was imported: keys has faults\./);
    assert.match(stderr, /Line 3 has no key of the form SERVICE-<UUID>/);
    assert.match(stderr, /Line 4 has an invalid plan\. The plans are free, pro, business, internal\./);
    assert.match(stderr, /Line 5 has an invalid endsAt\. Give a date such as/);
    assert.match(stderr, /Line 6 has no plan: give free, pro, business or internal\./);
    assert.match(stderr, /Line 7 has the same key as line 2: leave one of them out\./);
    assert.match(stderr, /Line 8 has a label of more than 200 characters/);
    assert.match(stderr, /Line 9 cannot be read: the row has 2 fields and the heading 5/);
    assert.ok(!stderr.includes('Line 2 '));
  }
  assert.deepEqual(await list(), []);
});

test('columns that are unknown, missing or parted by something else are told or found', async (t) => {
  const { run } = await stage(t);
  const unknown = await run(`key,plan,ends_at\n${FIRST},pro,2099-01-01`);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /The heading has an unknown column ends_at: did you mean endsAt\?/);
  const headless = await run(`${FIRST},pro\n${SECOND},free`);
  assert.match(
    headless.stderr,
    /has a key where names of columns must be: put them into the first line\. The columns are/,
  );
  assert.match((await run('key,plan\n')).stderr, /keys has no rows\./);
  assert.match((await run('')).stderr, /keys is empty\./);
  const semicolons = await run(`key;plan\n${FIRST};pro`);
  assert.match(semicolons.stdout, /^1 created/m);
  const latin = await run(`key,plan,label\n${SECOND},pro,a`, '--dry-run');
  assert.match(latin.stdout, /^1 keys can be imported\. Nothing was written\.$/m);
});

test('a customer never changes and what was revoked stays revoked, while the other lines are imported', async (t) => {
  const { run, list, verdict, database } = await stage(t);
  await run(`key,plan,customer\n${FIRST},pro,acme\n${SECOND},pro,acme`);
  const rows = await list();
  const second = rows.find(({ keyHint }) => keyHint === SECOND.slice(-4));
  await createLocalSubscriptions(database, systemClock).revoke(String(second?.id));
  const end = await run(`key,plan,customer\n${FIRST},free,other\n${SECOND},free,acme\n${THIRD},free,other`);
  assert.equal(end.code, 3);
  assert.match(end.stdout, /^1 created, 0 changed, 0 unchanged, 2 not imported\.$/m);
  assert.match(end.stderr, /Line 2 has another customer than before, and a customer never changes/);
  assert.match(end.stderr, /Line 3 is of a subscription that was revoked/);
  assert.equal((await verdict(SECOND)).state, 'unknown');
  const first = await verdict(FIRST);
  assert.ok(first.state === 'active' && first.tier === 'pro' && first.customer === 'acme');
});

test('five thousand keys are imported in batches, each once', async (t) => {
  const { run, database } = await stage(t);
  const rows = Array.from({ length: 5_000 }, () => `${newKey()},free`);
  const end = await run(`key,plan\n${rows.join('\n')}\n`);
  assert.match(end.stdout, /^5,000 created/m);
  const [{ count } = { count: 0 }] = await database.read(
    (sql) => sql<{ count: number }[]>`select count(distinct key_hash)::int as count from subscription`,
  );
  assert.equal(count, 5_000);
});

const STRIPE = {
  SUBSCRIPTIONS: 'stripe',
  STRIPE_SECRET_KEY: 'rk_test_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
};

test('with Stripe keys are imported for its subscriptions, each with one key', async (t) => {
  const { run, list } = await stage(t, STRIPE);
  const file = `key,subscription\n${FIRST},sub_A1\n${SECOND},sub_B2`;
  assert.match((await run(file)).stdout, /^2 created/m);
  assert.match((await run(file)).stdout, /^0 created, 0 changed, 2 unchanged, 0 not imported\.$/m);
  const other = await run(`key,subscription\n${THIRD},sub_A1\n${FIRST},sub_B2`);
  assert.equal(other.code, 3);
  assert.match(
    other.stderr,
    /Line 2 is of a subscription that has another key: `freehold subscriptions create --for`/,
  );
  assert.match(other.stderr, /Line 3 is of another subscription, sub_A1\./);
  const owned = await run(`key,plan\n${FIRST},pro`);
  assert.match(owned.stderr, /unknown column plan: .*The columns are key, subscription/);
  assert.match(
    (await run(`key,subscription\n${FIRST},A1`)).stderr,
    /Line 2 has no subscription: give its id at Stripe/,
  );
  const listed = await list();
  assert.deepEqual(listed.map(({ id, state, keyHint }) => [id, state, keyHint]).toSorted(), [
    ['sub_A1', 'never used', FIRST.slice(-4)],
    ['sub_B2', 'never used', SECOND.slice(-4)],
  ]);
});

test('Polar takes no keys from elsewhere', async (t) => {
  const { run } = await stage(t, {
    SUBSCRIPTIONS: 'polar',
    POLAR_ACCESS_TOKEN: 'polar_oat_0123456789',
    POLAR_ORGANIZATION_ID: 'org',
    POLAR_WEBHOOK_SECRET: 'polar_whs_0123456789',
    POLAR_PLANS: 'prod=pro',
  });
  const end = await run(`key,plan\n${FIRST},pro`);
  assert.equal(end.code, 2);
  assert.match(end.stderr, /Polar issues its keys itself and takes no others/);
});
