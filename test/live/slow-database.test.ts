// Proof that the first event of a stream waits for nothing slow: neither the source nor a database that has gone silent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { atEnd } from '../support/database/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

// The clock stands: nothing that is remembered grows old, and no timeout answers in place of the database.
test('R16: a listing read of late is sent at once while the database answers nobody', async (t) => {
  const clock = manualClock(Date.now());
  let proxy: DatabaseProxy | undefined;
  let reads = 0;
  const { keys, database, url } = await startService(t, {
    clock,
    environment: { SOURCE: 'none' },
    async connect(direct) {
      proxy = await startDatabaseProxy(t, direct);
      const own = openDatabase({ url: proxy.url, clock });
      atEnd(t, () => own.close());
      return {
        ...own,
        read(work, options) {
          reads++;
          return own.read(work, options);
        },
      };
    },
  });
  assert.ok(proxy !== undefined);
  const catalogue = createCatalogue(database);
  const drafts = [draft('silent', { listPrice: 250_000, status: 'ACTIVE', location: null })];
  const { ids } = await database.transaction((tx) => catalogue.write(tx, 'test', drafts, clock.now()));
  const [id = ''] = ids.values();
  const leaving = new AbortController();
  const ask = () =>
    fetch(`${url}/v1/listing/${id}`, {
      headers: { authorization: `Bearer ${keys.pro}` },
      signal: leaving.signal,
    });
  // The news of its writing may come after the first read, and then it is read once more.
  await until('it is remembered', async () => {
    const before = reads;
    assert.match(await (await ask()).text(), /event: cached\n/);
    return reads === before;
  });

  proxy.mode = 'hang';
  // What the database never answered ends by its timeout once time goes on.
  atEnd(t, async () => clock.advance(60_000));
  const answer = await ask();
  assert.equal(answer.status, 200);
  const first = await answer.body?.getReader().read();
  assert.match(Buffer.from(first?.value ?? []).toString(), /event: cached\ndata: \{"id":"lst_/);
  leaving.abort();
  proxy.mode = 'pass';
});
