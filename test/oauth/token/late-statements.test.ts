// Tests that a request answered with 503 is not carried out later, by a statement that reaches PostgreSQL late.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/database-proxy.ts';
import {
  consent,
  parseSession,
  redeem,
  refresh,
  refreshSession,
  register,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';

/** Milliseconds that the service waits for PostgreSQL. */
const TIMEOUT = 5_000;
const REDIRECT = 'https://late.example/callback';

/** Hours by which the clock of PostgreSQL shows another time than that of the service. */
const SKEWS = [0, 1, -1];

/** Makes PostgreSQL's clock show another time to whoever connects from now on. */
async function skewClock(url: string, hours: number): Promise<void> {
  const database = openDatabase({ url, maxConnections: 1 });
  await database.write((sql) =>
    sql.unsafe(`
      create schema skewed;
      create function skewed.clock_timestamp() returns timestamptz volatile language sql
        as $$ select pg_catalog.clock_timestamp() + interval '${hours} hours' $$;
      do $$ begin execute format('alter database %I set search_path to skewed, pg_catalog, public', current_database()); end $$`),
  );
  await database.close();
}

/** A service whose line to its database stalls when a test says so. */
async function startStalling(skew: number) {
  const proxies: DatabaseProxy[] = [];
  const service = await startService(
    { after },
    {
      environment: { OAUTH_REFRESH_GRACE_SECONDS: '0' },
      async connect(url) {
        if (skew !== 0) await skewClock(url, skew);
        const proxy = await startDatabaseProxy({ after }, url);
        proxies.push(proxy);
        const database = openDatabase({ url: proxy.url, maxConnections: 1, timeout: TIMEOUT });
        after(() => database.close(0));
        return database;
      },
    },
  );
  const [proxy = assert.fail()] = proxies;
  const count = async (table: string) => {
    const [row] = await service.database.read((sql) => sql`select count(*)::int as rows from ${sql(table)}`);
    return Number(row?.rows);
  };
  /** Sends a request whose statement arrives when it has been answered; gives that answer. */
  async function stalled<T>(text: string, request: () => Promise<T>): Promise<T> {
    proxy.stallAt(text);
    try {
      return await request();
    } finally {
      await proxy.release();
    }
  }
  return { service, count, stalled };
}

/** One after another: on its only connection each needs the whole machine to start in time. */
async function startOneByOne() {
  const started: Awaited<ReturnType<typeof startStalling>>[] = [];
  for (const skew of SKEWS) started.push(await startStalling(skew));
  return started;
}

function assertUnavailable({ status, headers, body }: Awaited<ReturnType<typeof redeem>>): void {
  assert.deepEqual([status, body.error], [503, 'temporarily_unavailable']);
  assert.ok(Number(headers.get('retry-after')) > 0);
}

const [straight = assert.fail(), ...skewed] = await startOneByOne();
const { service, count, stalled } = straight;

describe('a 503 means that nothing was done', () => {
  test('R11: a code whose exchange was answered 503 is good for the same exchange afterwards, however clocks differ', async () => {
    for (const { service, stalled } of [straight, ...skewed]) {
      await signIn(service);
      const authorizationCode = await consent(service);
      assertUnavailable(await stalled('"presentedHash"', () => redeem(service, authorizationCode)));
      const session = parseSession(await redeem(service, authorizationCode), authorizationCode.clientId);
      assert.equal(await statusOf(service, session.accessToken), 200);
    }
  });

  test('R10: a refresh token whose exchange was answered 503 has not been replaced, also without any grace', async () => {
    const session = await refreshSession(service, await signIn(service));
    assertUnavailable(await stalled('"presentedHash"', () => refresh(service, session)));
    const next = parseSession(await refresh(service, session), session.clientId);
    assert.equal(await statusOf(service, next.accessToken), 200);
  });

  test('a consent that was answered 503 leaves no grant behind', async () => {
    await consent(service);
    const before = await count('oauth_grant');
    const redirectUri = 'http://127.0.0.1:4321/late';
    await assert.rejects(
      stalled(redirectUri, () => consent(service, { redirectUri })),
      /No code: 503/,
    );
    assert.equal(await count('oauth_grant'), before);
  });

  test('a registration that was answered 503 leaves no client behind', async () => {
    await register(service);
    const before = await count('oauth_client');
    const metadata = { client_name: 'Late', redirect_uris: [REDIRECT] };
    await assert.rejects(
      stalled(REDIRECT, () => register(service, metadata)),
      /Not registered: 503/,
    );
    assert.equal(await count('oauth_client'), before);
  });
});
