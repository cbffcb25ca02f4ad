// Proof that another process takes over from the reader of a source and from the maker of lists that is killed, stopped or cut off, that
// nothing is lost or told twice, and that the former one writes nothing when it comes back.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/postgres/client/database.ts';
import { LEASE_TIMES } from '../../src/postgres/leases/work-lease.ts';
import type { ListChildOptions } from '../support/billing/list-child.ts';
import { createPaymentTable, setPaid } from '../support/billing/table-payments.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { startDatabaseFaultProxy } from '../support/network/fault-proxy.ts';
import { startProgram } from '../support/process/children.ts';
import { endByFault, FAULTS, type ProcessFault } from '../support/process/process-faults.ts';
import type { ReaderOptions } from '../support/sources/reader-child.ts';
import { startUpstream } from '../support/sources/upstream.ts';

/** Rounds of each fault; more of them, with the leases of a service, are for `npm run chaos`. */
const ROUNDS = Number(process.env.CHAOS_RUNS ?? '1');
const LEASE = process.env.CHAOS_RUNS === undefined ? { duration: 3_000, renewal: 500 } : LEASE_TIMES;

/** Listings of the first load. */
const FIRST = 3;

async function holderOf(database: Database, name: string): Promise<{ holder: string; fence: number }> {
  const [row] = await database.read(
    (sql) => sql<{ holder: string | null; fence: number }[]>`
      select holder, fence from work_lease where name = ${name}`,
  );
  return { holder: row?.holder ?? '', fence: row?.fence ?? 0 };
}

/** How often the log tells of each listing. */
async function toldOf(database: Database): Promise<Record<string, number>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; count: number }[]>`
      select listing_key as key, count(*)::int as count from change join listing on listing.id = listing_id
      group by listing_key`,
  );
  return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
}

async function readerTakeover(t: TestContext, fault: ProcessFault): Promise<void> {
  const { database, url } = await testDatabase(t);
  const upstream = await startUpstream(t);
  const proxy = await startDatabaseFaultProxy(t, url);
  let put = 0;
  const change = (count: number): void => {
    for (let each = 0; each < count; each++) {
      put += 1;
      const key = `k${put}`;
      upstream.records.set(key, {
        ListingKey: key,
        ListPrice: put,
        StandardStatus: 'Active',
        PropertyType: 'Residential',
        ModificationTimestamp: new Date(Date.UTC(2026, 0, 1) + put * 1_000).toISOString(),
      });
    }
  };
  const allAreThere = async () => {
    const [row] = await database.read(
      (sql) => sql<{ count: number }[]>`select count(*)::int as count from listing`,
    );
    return row?.count === put;
  };
  const start = (databaseUrl: string) =>
    startProgram(t, 'sources/reader-child.ts', [
      JSON.stringify({
        databaseUrl,
        url: upstream.url,
        credentials: {
          kind: 'client',
          tokenUrl: upstream.tokenUrl,
          clientId: 'someone',
          clientSecret: 'something',
        },
        lease: LEASE,
      } satisfies ReaderOptions),
    ]);
  change(FIRST);
  const first = start(proxy.url);
  assert.equal(await first.line(), '{"reads":true}');
  const second = start(url);
  change(3);
  await until('the first reads', allAreThere);
  const before = await holderOf(database, 'reading of feed');
  change(3);
  const begun = performance.now();
  const goOn = await endByFault(fault, first, proxy);
  change(3);
  assert.equal(await second.line(), '{"reads":true}');
  await until('the second reads on', allAreThere);
  t.diagnostic(`${fault} of a reader: read on after ${Math.round(performance.now() - begun)} ms`);
  const taken = await holderOf(database, 'reading of feed');
  assert.deepEqual([taken.fence, taken.holder === before.holder], [before.fence + 1, false]);
  goOn();
  for (let round = 0; round < 3; round++) {
    change(2);
    await until('it goes on', allAreThere);
  }
  assert.deepEqual(await holderOf(database, 'reading of feed'), taken, 'the second one keeps it');
  assert.deepEqual(
    await toldOf(database),
    // The first load is one entry of the log, which names no listing.
    Object.fromEntries(Array.from({ length: put - FIRST }, (_, at) => [`k${FIRST + at + 1}`, 1])),
    'each change is told once',
  );
}

async function listTakeover(t: TestContext, fault: ProcessFault): Promise<void> {
  const { database, url } = await testDatabase(t);
  const proxy = await startDatabaseFaultProxy(t, url);
  await createPaymentTable(database);
  await database.write((sql) => sql`create table page_gate as select 1 as pages`);
  const references = Array.from({ length: 30 }, (_, at) => `sub_${String(at).padStart(2, '0')}`);
  const pay = (reference: string, tier: 'pro' | 'business') =>
    setPaid(database, { reference, customer: `of ${reference}`, state: 'active', tier });
  const mirrored = async (): Promise<Record<string, string>> => {
    const rows = await database.read(
      (sql) => sql<{ reference: string; tier: string }[]>`select reference, tier from provider_subscription`,
    );
    return Object.fromEntries(rows.map(({ reference, tier }) => [reference, tier]));
  };
  for (const reference of references) await pay(reference, 'pro');
  const start = (own: string) =>
    startProgram(t, 'billing/list-child.ts', [
      JSON.stringify({ url: own, serviceUrl: url, page: 10, lease: LEASE } satisfies ListChildOptions),
    ]);
  const first = start(proxy.url);
  for (const line of ['ready', 'page 0', 'page 1']) assert.equal(await first.line(), line);
  const second = start(url);
  assert.equal(await second.line(), 'ready');
  // The first one has its second page in hand, as it was, and stores it too late.
  const begun = performance.now();
  const goOn = await endByFault(fault, first, proxy);
  for (const reference of references) await pay(reference, 'business');
  assert.equal(await second.line(), 'page 0');
  t.diagnostic(`${fault} of a maker of lists: taken over after ${Math.round(performance.now() - begun)} ms`);
  const taken = await holderOf(database, 'subscriptions of polar');
  await database.write((sql) => sql`update page_gate set pages = 9`);
  for (const line of ['page 1', 'page 2', 'listed']) assert.equal(await second.line(), line);
  const expected = Object.fromEntries(references.map((reference) => [reference, 'business']));
  assert.deepEqual(await mirrored(), expected);
  goOn();
  // Its late page is refused, by its clock or by the fence.
  if (fault !== 'kill -9') assert.match((await first.line()) ?? '', /refused|failed/);
  assert.deepEqual(await mirrored(), expected);
  assert.deepEqual(await holderOf(database, 'subscriptions of polar'), taken, 'the second one keeps it');
}

for (let round = 1; round <= ROUNDS; round++)
  for (const fault of FAULTS) {
    test(`a reader of a source is replaced after ${fault}, and nothing is lost or told twice (${round})`, (t) =>
      readerTakeover(t, fault));
    test(`a maker of lists is replaced after ${fault}, and stores nothing late (${round})`, (t) =>
      listTakeover(t, fault));
  }
