// Proves that the list of subscriptions shows what each has used and when last, and with a payment service what it told.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/postgres/client/database.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

type Row = Record<string, unknown>;

/** What the command lists for people and for programs. */
async function list(t: TestContext, url: string, environment: Record<string, string> = {}) {
  const folder = await temporaryFolder(t, 'list');
  const options = { folder, environment: { DATABASE_URL: url, ...environment } };
  const people = await runCommand(['subscriptions', 'list'], options);
  const programs = await runCommand(['subscriptions', 'list', '--json'], options);
  assert.equal(programs.code, 0, programs.stderr);
  return {
    text: people.stdout,
    rows: (JSON.parse(programs.stdout) as { subscriptions: Row[] }).subscriptions,
  };
}

test('each key shows the requests of this month and when some were last set aside, in this month or the last', async (t) => {
  const clock = manualClock(Math.floor(Date.now() / 1_000) * 1_000);
  const service = await startService(t, { clock });
  for (let count = 0; count < 3; count += 1)
    await service.json('/v1/search/sales?limit=1', service.keys.free);
  await service.json('/v1/search/sales?limit=1', service.keys.internal);
  const first = await list(t, service.databaseUrl);
  const of = (rows: readonly Row[], plan: string) => rows.find((row) => row.plan === plan) ?? {};
  const free = of(first.rows, 'free');
  assert.equal(free.usedThisMonth, 3, 'Free requests are set aside one by one');
  assert.equal(free.lastUsedAt, new Date(clock.now()).toISOString());
  for (const plan of ['pro', 'internal']) {
    const { usedThisMonth, lastUsedAt } = of(first.rows, plan);
    assert.deepEqual([usedThisMonth, lastUsedAt], [null, null], plan);
  }
  assert.match(first.text, /^ID +PLAN +KEY +STATE +CREATED +USED +LAST USE +CUSTOMER +LABEL$/m);
  assert.match(
    first.text,
    /^sub_\w+ +free +…\w{4} +active +[\d-]{10} +3 +[\d-]{10} \d\d:\d\d +Sample key, free$/m,
  );
  assert.match(first.text, /^sub_\w+ +internal .* – +– +Sample key, internal$/m);
  await service.database.write(
    (sql) => sql`update monthly_usage set month = (month - interval '1 month')::date`,
  );
  const later = of((await list(t, service.databaseUrl)).rows, 'free');
  assert.deepEqual([later.usedThisMonth, later.lastUsedAt], [null, free.lastUsedAt]);
});

test('the last use never goes back, whatever the clock of a process says', async (t) => {
  const clock = manualClock(Date.UTC(2026, 5, 15, 12));
  const service = await startService(t, { clock });
  const lastUse = async (): Promise<string> => {
    const [row] = await service.database.read(
      (sql) => sql<{ at: string }[]>`select last_used_at as at from monthly_usage`,
    );
    return new Date(row?.at ?? 0).toISOString();
  };
  await service.json('/v1/search/sales?limit=1', service.keys.free);
  assert.equal(await lastUse(), '2026-06-15T12:00:00.000Z');
  clock.advance(60_000);
  await service.json('/v1/search/sales?limit=1', service.keys.free);
  assert.equal(await lastUse(), '2026-06-15T12:01:00.000Z');
  await service.database.write((sql) => sql`update monthly_usage set last_used_at = '2026-06-16T00:00:00Z'`);
  await service.json('/v1/search/sales?limit=1', service.keys.free);
  assert.equal(await lastUse(), '2026-06-16T00:00:00.000Z');
});

const SECRETS = {
  STRIPE_SECRET_KEY: 'rk_test_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
  POLAR_ACCESS_TOKEN: 'polar_oat_0123456789',
  POLAR_ORGANIZATION_ID: 'org',
  POLAR_WEBHOOK_SECRET: 'polar_whs_0123456789',
  POLAR_PLANS: 'prod=pro',
};
const hash = (byte: number): Buffer => Buffer.alloc(32, byte);

async function writeVerdicts(database: Database): Promise<void> {
  await database.write(
    (sql) => sql`
      insert into provider_subscription (provider, reference, key_hash, state, reason, customer, tier, ends_at, checked_at, question)
      values
        ('stripe', 'sub_active', ${hash(1)}, 'active', null, 'cus_1', 'pro', null, '2026-11-03T10:00:00Z', 1),
        ('stripe', 'sub_unpaid', null, 'unknown', 'unpaid', null, null, null, '2026-11-02T10:00:00Z', 2),
        ('polar', 'lk_1', ${hash(1)}, 'expired', null, null, null, null, '2026-11-01T10:00:00Z', 3)`,
  );
  await database.write(
    (sql) => sql`
      insert into issued_key (id, provider, key_hash, key_hint, state, subscription, created_at, expires_at, activated_at, ended_at)
      values
        ('key_000000000000000000000001', 'stripe', ${hash(1)}, 'AAAA', 'active', 'sub_active', now(), null, now(), null),
        ('key_000000000000000000000002', 'stripe', ${hash(2)}, 'BBBB', 'pending', null, now(), now(), null, null),
        ('key_000000000000000000000003', 'stripe', ${hash(3)}, 'CCCC', 'active', 'sub_never', now(), null, now(), null),
        ('key_000000000000000000000004', 'stripe', ${hash(4)}, 'DDDD', 'ended', 'sub_active', now(), null, now(), now())`,
  );
}

test('with a payment service its subscriptions are listed as it told them, and keys that nobody has asked about', async (t) => {
  const { database, url } = await testDatabase(t);
  await writeVerdicts(database);
  const stripe = await list(t, url, { SUBSCRIPTIONS: 'stripe', ...SECRETS });
  const brief = ({ id, plan, state, keyHint, customer }: Row) => [id, plan, state, keyHint, customer];
  assert.deepEqual(stripe.rows.map(brief), [
    ['sub_active', 'pro', 'active', 'AAAA', 'cus_1'],
    ['sub_unpaid', null, 'refused: unpaid', null, null],
    ['key_000000000000000000000002', null, 'unpaid yet', 'BBBB', null],
    ['sub_never', null, 'never used', 'CCCC', null],
  ]);
  assert.match(stripe.text, /^ID +PLAN +KEY +STATE +CHECKED +USED +LAST USE +CUSTOMER$/m);
  assert.match(stripe.text, /^sub_active +pro +…AAAA +active +2026-11-03 10:00 +– +– +cus_1$/m);
  const polar = await list(t, url, { SUBSCRIPTIONS: 'polar', ...SECRETS });
  assert.deepEqual(polar.rows.map(brief), [['lk_1', null, 'ended', null, null]]);
});

test('a payment service of which nothing is known yet says how to ask it', async (t) => {
  const { url } = await testDatabase(t);
  const { text, rows } = await list(t, url, { SUBSCRIPTIONS: 'stripe', ...SECRETS });
  assert.deepEqual(rows, []);
  assert.match(
    text,
    /^None has been used yet\. `freehold billing sync` asks the payment service for all of them\.$/m,
  );
});
