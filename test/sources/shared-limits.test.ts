// Proves that what a source permits is counted over all processes and restarts: at the server no window is ever exceeded.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { startProgram } from '../support/process/children.ts';
import type { ReaderOptions } from '../support/sources/reader-child.ts';
import { startUpstream } from '../support/sources/upstream.ts';

const { database, url: databaseUrl } = await testDatabase({ after });
/** Shorter than those of a service, which nobody wants to wait for. */
const SHORT = { duration: 600, renewal: 100 };
const REQUESTS_AN_HOUR = 20;

test('two processes, kills and restarts: the server never counts more than its hour permits, and reading goes on', async (t) => {
  const upstream = await startUpstream(t);
  for (let number = 0; number < 300; number++)
    upstream.records.set(`k${number}`, {
      ListingKey: `k${number}`,
      ListPrice: 1,
      StandardStatus: 'Active',
      PropertyType: 'Residential',
      ModificationTimestamp: '2026-01-01T00:00:00Z',
    });
  const options = {
    databaseUrl,
    url: upstream.url,
    credentials: {
      kind: 'client' as const,
      tokenUrl: upstream.tokenUrl,
      clientId: 'someone',
      clientSecret: 'something',
    },
    lease: SHORT,
    profile: {
      name: 'standard',
      overrides: { limits: { windows: [{ seconds: 3_600, requests: REQUESTS_AN_HOUR }] } },
    },
  };
  const start = () =>
    startProgram(t, 'sources/reader-child.ts', [JSON.stringify(options satisfies ReaderOptions)]);
  const refused = async () => {
    const rows = await database.read(
      (sql) => sql<{ failure: string | null }[]>`select failure from source_report where source = 'feed'`,
    );
    // Of a process that has just started, the request for a token is refused already.
    return (rows[0]?.failure ?? null) !== null;
  };
  const processes = [start(), start()];
  await until('one of them has used the hour', refused);
  assert.equal(upstream.requests.length, REQUESTS_AN_HOUR);
  for (let round = 0; round < 2; round++) {
    const holder = async () =>
      (
        await database.read(
          (sql) =>
            sql<
              { fence: string }[]
            >`select fence::text as fence from work_lease where name = 'reading of feed'`,
        )
      )[0]?.fence;
    const before = await holder();
    // Whichever reads, it is killed, and one that waits goes on.
    const waiting = start();
    for (const each of processes.splice(0)) {
      each.kill('SIGKILL');
      await each.ended;
    }
    await database.write((sql) => sql`delete from source_report where source = 'feed'`);
    processes.push(waiting);
    await until('a process that reads now is refused as well', refused);
    assert.notEqual(await holder(), before, 'another process reads');
    assert.equal(upstream.requests.length, REQUESTS_AN_HOUR);
  }
});
