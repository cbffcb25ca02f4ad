// Tests of the cache of client documents, and of the limits on fetches.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ClientDocumentError } from '../../../src/oauth/clients/client-document.ts';
import { sweepAll } from '../../../src/oauth/token/sweep.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { createFixture, outcome, REDIRECTS, reply, serve } from '../../support/oauth/client-documents.ts';
import { json } from '../../support/oauth/document-hosts.ts';

const { database } = await testDatabase({ after });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('RG15: a copy is used as long as its headers say, but at least a minute and at most a day', async (t) => {
  const fixture = await createFixture(t, database);
  const lifetimes: readonly (readonly [headers: Record<string, string>, life: number])[] = [
    [{}, 10 * MINUTE],
    [{ 'cache-control': 'max-age=3600' }, HOUR],
    [{ 'cache-control': 'no-store' }, MINUTE],
    [{ 'cache-control': 'max-age=31536000' }, 24 * HOUR],
  ];
  for (const [number, [headers, life]] of lifetimes.entries()) {
    const id = serve(fixture, `/${number}.json`, {}, headers);
    const before = fixture.hosts.hits.length;
    await fixture.find(id);
    fixture.clock.advance(life - 1);
    await fixture.find(id);
    assert.equal(fixture.hosts.hits.length - before, 1, `kept: ${JSON.stringify(headers)}`);
    fixture.clock.advance(1);
    await fixture.find(id);
    assert.equal(fixture.hosts.hits.length - before, 2, `fetched again: ${JSON.stringify(headers)}`);
  }
});

test('RG15: processes share their copies, and a changed document replaces the old one for all', async (t) => {
  const fixture = await createFixture(t, database);
  const other = fixture.another();
  const id = serve(fixture, '/shared.json');
  await fixture.find(id);
  assert.equal(await outcome(other(id, '192.0.2.2')), 'Good');
  assert.equal(fixture.hosts.hits.length, 1);
  fixture.clock.advance(10 * MINUTE);
  serve(fixture, '/shared.json', { client_name: 'Better' });
  assert.equal(await outcome(other(id, '192.0.2.2')), 'Better');
  assert.equal(await fixture.find(id), 'Better');
  assert.equal(fixture.hosts.hits.length, 2);
});

test('RG15: failures and documents that cannot be used are not remembered, nor do they keep an old copy alive', async (t) => {
  const fixture = await createFixture(t, database);
  const id = fixture.hosts.url('/late.json');
  assert.equal(await fixture.find(id), 'answer');
  serve(fixture, '/late.json', { client_secret: 'x' }, { 'cache-control': 'max-age=3600' });
  assert.equal(await fixture.find(id), 'document');
  serve(fixture, '/late.json');
  assert.equal(await fixture.find(id), 'Good');
  fixture.clock.advance(10 * MINUTE);
  fixture.hosts.put('/late.json', reply(404, {}));
  assert.equal(await fixture.find(id), 'answer', 'a document that is gone is no client');
});

test('RG15: who wants the same document at the same time shares one fetch, and who leaves ends it for nobody else', async (t) => {
  const fixture = await createFixture(t, database);
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const id = fixture.hosts.url('/slow.json');
  const good = json({ client_id: id, client_name: 'Good', redirect_uris: REDIRECTS });
  fixture.hosts.put('/slow.json', (request, response) => {
    arrived.resolve();
    void answer.promise.then(() => good(request, response));
  });
  const leaving = new AbortController();
  const left = fixture.findDocument(id, '192.0.2.9', leaving.signal).catch(() => 'left');
  const others = Array.from({ length: 100 }, (_, number) => fixture.find(id, `192.0.2.${number}`));
  await arrived.promise;
  leaving.abort();
  assert.equal(await left, 'left');
  answer.resolve();
  assert.deepEqual(new Set(await Promise.all(others)), new Set(['Good']));
  assert.equal(fixture.hosts.hits.length, 1);
});

test('RG15: one address may have 30 documents fetched in a minute; what is known costs nothing', async (t) => {
  const fixture = await createFixture(t, database);
  const cached = serve(fixture, '/known.json');
  assert.equal(await fixture.find(cached), 'Good');
  for (let number = 1; number < 30; number++) {
    await fixture.find(fixture.hosts.put(`/n${number}.json`, reply(404, {}), `h${number}.example`));
  }
  assert.equal(await fixture.find(fixture.hosts.url('/n30.json', 'h30.example')), 'busy');
  assert.equal(await fixture.find(fixture.hosts.url('/n30.json', 'h30.example'), '2001:db8::1'), 'answer');
  assert.equal(await fixture.find(cached), 'Good');
  fixture.clock.advance(MINUTE);
  assert.equal(await fixture.find(fixture.hosts.url('/n30.json', 'h30.example')), 'answer');
});

test('RG15: a host that fails ten times in a minute is left alone, but for documents that were good before', async (t) => {
  const fixture = await createFixture(t, database);
  const good = serve(fixture, '/good.json', {}, { 'cache-control': 'no-store' });
  assert.equal(await fixture.find(good), 'Good');
  fixture.clock.advance(MINUTE);
  for (let number = 0; number < 10; number++) {
    assert.equal(await fixture.find(fixture.hosts.url(`/no${number}.json`), `192.0.2.${number}`), 'answer');
  }
  const before = fixture.hosts.hits.length;
  const refused = await fixture
    .findDocument(fixture.hosts.url('/no10.json'), '192.0.2.99')
    .catch((error: unknown) => error);
  assert.ok(refused instanceof ClientDocumentError && refused.kind === 'busy');
  assert.equal(refused.retryAfter, 60);
  assert.equal(fixture.hosts.hits.length, before);
  assert.equal(
    await fixture.find(good, '192.0.2.99'),
    'Good',
    'whoever floods with unknown ones keeps nobody else out',
  );
  assert.equal(await fixture.find(fixture.hosts.url('/x.json', 'other.example'), '192.0.2.99'), 'answer');
});

test('RG15: a flood of random addresses is bounded altogether and for each host, and good documents stay within reach', async (t) => {
  const fixture = await createFixture(t, database, { all: 120 });
  const cached = serve(fixture, '/kept.json', {}, { 'cache-control': 'no-store' });
  assert.equal(await fixture.find(cached), 'Good');
  fixture.clock.advance(MINUTE);
  const tally = new Map<string, number>();
  for (let number = 0; number < 200; number++) {
    const id = fixture.hosts.url(`/${number}.json`, `r${number % 20}.example`);
    const kind = await fixture.find(id, `2001:db8:0:${number.toString(16)}::1`);
    tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(tally), { answer: 100, busy: 100 });
  assert.equal(fixture.hosts.hits.length, 1 + 100);
  assert.equal(await fixture.find(cached), 'Good', 'a sixth is kept for what was good before');
  fixture.clock.advance(MINUTE);
  const before = fixture.hosts.hits.length;
  for (let number = 0; number < 80; number++)
    await fixture.find(serve(fixture, `/ok${number}.json`), `192.0.2.${number}`);
  assert.equal(fixture.hosts.hits.length - before, 60, 'sixty from one host, good ones too');
});

test('RG15: so many fetches may be under way at once, and no more', async (t) => {
  const fixture = await createFixture(t, database, { concurrent: 3 });
  const answer = Promise.withResolvers<void>();
  const ids = Array.from({ length: 10 }, (_, number) =>
    fixture.hosts.put(`/held${number}.json`, (_request, response) => {
      void answer.promise.then(() => response.writeHead(404).end());
    }),
  );
  const kinds: string[] = [];
  const found = ids.map(async (id) => kinds.push(await fixture.find(id)));
  // All ten: one that comes once an answer was given would find room.
  await until('all others are told', async () => kinds.length === 7);
  assert.deepEqual([...new Set(kinds)], ['busy']);
  await until('three have arrived', async () => fixture.hosts.hits.length === 3);
  answer.resolve();
  await Promise.all(found);
  assert.equal(kinds.filter((kind) => kind === 'busy').length, 7);
});

test('copies that nobody asks for any more are cleared away', async (t) => {
  const fixture = await createFixture(t, database);
  const count = async () => {
    const rows = await database.read(
      (sql) => sql`select 1 from oauth_client_document where url like '%/old%'`,
    );
    return rows.length;
  };
  await fixture.find(serve(fixture, '/old.json'));
  fixture.clock.advance(29 * 24 * HOUR);
  await fixture.find(serve(fixture, '/old2.json'));
  assert.equal(await count(), 2);
  fixture.clock.advance(2 * 24 * HOUR);
  await sweepAll({ database, clock: fixture.clock });
  assert.equal(await count(), 1, 'the older one is gone');
});
