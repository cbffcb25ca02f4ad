// Proves that the oldest supported server, reached over TCP with a password, serves as well as the embedded one.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { listen, notify } from '../../src/postgres/client/listen.ts';
import { MIGRATIONS_FOLDER, migrate, pendingMigrations } from '../../src/postgres/migrations/migrate.ts';
import { atEnd, SERVER_VARIABLE } from '../support/database/database.ts';
import { startPostgres15, withoutPostgres15 } from '../support/database/postgres15.ts';
import { refresh, signIn, statusOf } from '../support/oauth/oauth.ts';
import { startService } from '../support/service/service.ts';

const skip = withoutPostgres15;

test('PostgreSQL 15 over TCP with a password: version, migrations, rows and notifications', {
  skip,
}, async (t) => {
  const url = await startPostgres15(t);
  const database = openDatabase({ url, maxConnections: 2, timeout: 20_000 });
  atEnd(t, () => database.close(100));
  assert.match(await database.serverVersion(), /^15\./);
  const [session] = await database.read(
    (sql) => sql<{ jit: string }[]>`select current_setting('jit') as jit`,
  );
  assert.equal(session?.jit, 'off', 'nothing is compiled, whatever a plan costs');
  const files = (await readdir(MIGRATIONS_FOLDER)).filter((name) => name.endsWith('.sql'));
  assert.equal((await migrate(database)).length, files.length);
  assert.deepEqual(await pendingMigrations(database), []);
  const rows = await database.transaction(async (tx) => {
    await tx`create table kept (id int8, at timestamptz)`;
    return tx`insert into kept values (1, '2026-01-05T14:02:11.123Z') returning *`;
  });
  assert.deepEqual([...rows], [{ id: 1, at: '2026-01-05T14:02:11.123Z' }]);
  const { promise: heard, resolve } = Promise.withResolvers<string>();
  const { promise: joined, resolve: onGap } = Promise.withResolvers<void>();
  const listener = listen(database, 'kept', resolve, onGap);
  atEnd(t, () => listener.close());
  await joined;
  await database.write((sql) => notify(sql, 'kept', 'one more'));
  assert.equal(await heard, 'one more');
});

test('a wrong password is a 503 whose cause, for the log alone, names the reason', { skip }, async (t) => {
  const url = (await startPostgres15(t)).replace('s3cret', 'wrong');
  const database = openDatabase({ url, maxConnections: 1 });
  atEnd(t, () => database.close(100));
  await assert.rejects(database.serverVersion(), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'DATABASE_UNAVAILABLE');
    assert.doesNotMatch(error.message, /admin|wrong/);
    assert.equal((error.cause as { code?: string }).code, '28P01');
    return true;
  });
});

test('on PostgreSQL 15 the service replicates, searches, counts, tells figures and rotates tokens', {
  skip,
}, async (t) => {
  const before = process.env[SERVER_VARIABLE];
  process.env[SERVER_VARIABLE] = await startPostgres15(t);
  const service = await startService(t, { source: 'sample' }).finally(() => {
    process.env[SERVER_VARIABLE] = before ?? '';
  });
  const { database, keys } = service;
  assert.match(await database.serverVersion(), /^15\./);
  const json = async (path: string): Promise<Record<string, unknown[]>> => service.json(path, keys.internal);

  const areas = await json('/v1/areas?suggest=true&q=a&type=city');
  const [area] = areas.data as { id: string; name: string }[];
  assert.ok(area);
  const found = await json(
    '/v1/search/sales?q=street&facets=bedrooms,priceBucket&stats=median_list_price&limit=5',
  );
  assert.equal(found.data?.length, 5);
  const { bedrooms } = found.facets as unknown as { bedrooms: { count: number }[] };
  assert.ok(bedrooms.length > 1);
  for (const query of [
    `areaId=${area.id}&facets=city`,
    'polygon=-180,-90;180,-90;180,90;-180,90&sort=price',
    'q=stret&explain=true',
    'include=reso,history,property&count=exact',
    'cluster=true&zoom=3&bbox=-180,-90,180,90',
  ])
    assert.ok(await json(`/v1/search/rentals?${query}`), query);
  const stats = await json('/v1/market/stats?listingType=sale&groupBy=bedrooms');
  assert.ok(Object.keys(stats.metrics ?? {}).length > 20);
  const history = await json(`/v1/market/history?listingType=rental&areaId=${area.id}&periods=12`);
  assert.equal(history.points?.length, 12);
  assert.ok(await json('/v1/market/yield?'));
  const [{ id = '' } = {}] = found.data as { id: string }[];
  assert.ok(await json(`/v1/property/${id}?include=comparables,estimate,areas,reso`));

  const session = await signIn(service, { key: keys.pro });
  const next = await refresh(service, session);
  assert.equal(next.status, 200);
  assert.equal(await statusOf(service, String(next.body.access_token)), 200);
  service.clock.advance(120_000);
  const replayed = await refresh(service, session);
  assert.deepEqual([replayed.status, replayed.body.error], [400, 'invalid_grant']);
  assert.equal(await statusOf(service, String(next.body.access_token)), 'INVALID_TOKEN');
});
