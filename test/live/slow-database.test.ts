// Proof that the first event of a stream waits for nothing slow: neither the source nor a database that has gone silent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { startChaosApp } from '../support/chaos/app.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.ts';

test('R16: a listing read of late is sent at once while the database answers nobody', async (t) => {
  let proxy: DatabaseProxy | undefined;
  const { app, keys, get, database, url } = await startChaosApp(t, {
    source: 'none',
    async through(direct) {
      proxy = await startDatabaseProxy(t, direct);
      return proxy.url;
    },
  });
  assert.ok(proxy !== undefined && app.replication === null);
  const catalogue = createCatalogue(database);
  const drafts = [draft('silent', { listPrice: 250_000, status: 'ACTIVE', location: null })];
  const { ids } = await database.transaction((tx) => catalogue.write(tx, 'test', drafts, Date.now()));
  const [id = ''] = ids.values();
  const path = `/v1/listing/${id}`;
  const before = await (await get(path, keys.pro)).text();
  assert.match(before, /event: cached\n/);

  proxy.mode = 'hang';
  const leaving = new AbortController();
  const answer = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${keys.pro}` },
    signal: leaving.signal,
  });
  assert.equal(answer.status, 200);
  const first = await answer.body?.getReader().read();
  assert.match(Buffer.from(first?.value ?? []).toString(), /event: cached\ndata: \{"id":"lst_/);
  const statements = proxy.swallowedText;
  leaving.abort();
  proxy.mode = 'pass';
  // Work in the background may send statements of its own.
  assert.ok(!statements.includes(id), 'no statement about the listing before the first event');
});
