// Proves that of several processes one reads a source, that another takes over when it dies, and that a former one cannot write.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { LEASE_TIMES, WorkTaken } from '../../src/postgres/leases/work-lease.ts';
import { takeReaderLease } from '../../src/sources/reader-lease.ts';
import { startReplication } from '../../src/sources/replicate.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';
import { startProgram } from '../support/process/children.ts';
import { manualClock } from '../support/service/clock.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';
import type { ReaderOptions } from '../support/sources/reader-child.ts';
import { startUpstream } from '../support/sources/upstream.ts';

const { database, url: databaseUrl } = await testDatabase({ after });
/** Shorter than those of a service, which nobody wants to wait for. */
const SHORT = { duration: 3_000, renewal: 300 };

const find = (key: string) =>
  database.read((sql) => sql`select version from listing where listing_key = ${key}`);

/** Makes the lease of a source end, as if its process had not renewed it. */
const expire = (source: string) =>
  database.write(
    (sql) => sql`
      update work_lease set leased_until = clock_timestamp() - interval '1 second' where name = ${`reading of ${source}`}`,
  );

test('a process that waits takes over less than ten seconds after the one that reads has died', () => {
  assert.ok(LEASE_TIMES.duration + LEASE_TIMES.renewal < 10_000);
});

test('one of two processes reads; when it is killed, the other goes on', async (t) => {
  const upstream = await startUpstream(t);
  const put = (key: string, at: string) =>
    upstream.records.set(key, {
      ListingKey: key,
      ListPrice: 1,
      StandardStatus: 'Active',
      PropertyType: 'Residential',
      ModificationTimestamp: at,
    });
  put('a', '2026-01-01T00:00:00Z');
  const options = {
    databaseUrl,
    url: upstream.url,
    credentials: {
      kind: 'client',
      tokenUrl: upstream.tokenUrl,
      clientId: 'someone',
      clientSecret: 'something',
    },
    lease: SHORT,
  } satisfies ReaderOptions;
  const start = () => startProgram(t, 'sources/reader-child.ts', [JSON.stringify(options)]);
  const first = start();
  assert.equal(await first.line(), '{"reads":true}');
  const second = start();
  put('b', '2026-02-01T00:00:00Z');
  await until('the first reads changes', async () => (await find('b')).length === 1);
  const tokens = upstream.tokens;
  first.kill('SIGKILL');
  await first.ended;
  put('c', '2026-03-01T00:00:00Z');
  assert.equal(await second.line(), '{"reads":true}');
  await until('the second reads on', async () => (await find('c')).length === 1);
  assert.equal(upstream.tokens, tokens + 1, 'the second one had asked for nothing before');
  const positions = await database.read(
    (sql) => sql`select loaded from source_position where source = 'feed'`,
  );
  assert.deepEqual([...positions], [{ loaded: 1 }], 'it went on from the position, and did not load again');
});

test('a former holder cannot write, and one that renews in time keeps it', async () => {
  const first = await takeReaderLease(database, 'old', SHORT);
  assert.ok(first);
  assert.equal(await takeReaderLease(database, 'old', SHORT), null);
  await database.transaction((tx) => first.hold(tx));
  await expire('old');
  const second = await takeReaderLease(database, 'old', SHORT);
  assert.ok(second);
  await assert.rejects(
    database.transaction((tx) => first.hold(tx)),
    WorkTaken,
  );
  await until('the first one knows', () => first.lost.aborted);
  await database.transaction((tx) => second.hold(tx));
  await first.release();
  await database.transaction((tx) => second.hold(tx));
  await second.release();
});

test('a process that was suspended while another took over rolls its page back, and waits', async (t) => {
  const own = openDatabase({ url: databaseUrl });
  atEnd(t, () => own.close(100));
  const catalogue = createCatalogue(own);
  const source = memorySource('held');
  source.put(draftOf('h1'), '2026-01-01T00:00:00.000Z');
  const clock = manualClock();
  let other: Awaited<ReturnType<typeof takeReaderLease>> = null;
  const replication = startReplication({
    source,
    // While its first page is being written, its lease ends and another process takes it.
    catalogue: {
      ...catalogue,
      write: async (tx, ...rest) => {
        const written = await catalogue.write(tx, ...rest);
        await expire('held');
        other = await takeReaderLease(database, 'held');
        return written;
      },
    },
    database: own,
    clock,
    log: { info: () => {}, warn: () => {} },
    metrics: createMetrics(),
    interval: 60_000,
  });
  atEnd(t, () => replication.stop());
  await until('it waits', () => replication.status().state === 'waiting');
  assert.ok(other, 'another process has it');
  assert.deepEqual([...(await find('h1'))], [], 'nothing was written');
  assert.equal(replication.status().failure, null);
});
