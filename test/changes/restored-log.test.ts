// Proof that a log of changes that was restored gives no sequence twice, and says which cursors are of what was lost.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipSequences } from '../../src/changes/change-store.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { after as afterSequence, formatCursor } from '../../src/watch/events/cursor.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { database, keys, clock } = service;
const catalogue = createCatalogue(database);
const write = (price: number) =>
  database.transaction((tx) =>
    catalogue.write(tx, 'test', [draft('one', { listPrice: price })], clock.now()),
  );
const ask = async (path: string) => {
  const answer = await service.get(path, keys.business);
  return {
    status: answer.status,
    body: (await answer.json()) as {
      code?: string;
      page: { nextCursor: string };
      data: { sequence: number }[];
    },
  };
};
/** Nothing is matched in a service without watchers. */
const matched = (sequence: number) =>
  database.write((sql) => sql`update watch_position set position = ${sequence}`);
const head = async () => Number((await ask('/v1/changes?after=now')).body.page.nextCursor);

await write(1);
const last = await head();
await matched(last);
const eventsNow = (await ask('/v1/events?after=now')).body.page.nextCursor;
await database.transaction(skipSequences);

test('cursors of before the backup go on, those of after it have expired', async () => {
  assert.equal((await ask(`/v1/changes?after=${last}`)).status, 200);
  assert.equal((await ask(`/v1/events?after=${eventsNow}`)).status, 200);
  for (const lost of [last + 1, last + 1_000_000]) {
    const changes = await ask(`/v1/changes?after=${lost}`);
    assert.deepEqual([changes.status, changes.body.code], [410, 'CURSOR_EXPIRED']);
    const events = await ask(`/v1/events?after=${formatCursor(afterSequence(lost))}`);
    assert.deepEqual([events.status, events.body.code], [410, 'CURSOR_EXPIRED']);
  }
  const event = formatCursor({ sequence: last + 1, watcherId: 'wat_1', type: 'listing.created', ordinal: 0 });
  assert.equal((await ask(`/v1/events?after=${event}`)).body.code, 'CURSOR_EXPIRED');
  const feed = await service.get(`/v1/events/stream?after=${event}`, keys.business, {
    accept: 'text/event-stream',
  });
  assert.equal(feed.status, 410);
});

test('the next change gets a sequence that was never given, and lost cursors stay expired', async () => {
  await write(2);
  const next = await head();
  assert.ok(next > last + 1_000_000_000_000, `${next}`);
  await matched(next);
  const { body } = await ask(`/v1/changes?after=${last}`);
  assert.deepEqual(
    body.data.map(({ sequence }) => sequence),
    [next],
  );
  assert.equal((await ask(`/v1/changes?after=${last + 1}`)).body.code, 'CURSOR_EXPIRED');
  assert.equal(
    (await ask(`/v1/events?after=${formatCursor(afterSequence(last + 5))}`)).body.code,
    'CURSOR_EXPIRED',
  );
  assert.equal((await ask(`/v1/events?after=${eventsNow}`)).status, 200);
  assert.equal((await ask(`/v1/changes?after=${next + 1}`)).body.code, 'INVALID_CURSOR');
});

test('a second restore leaves no sequence between the two that could be given again', async () => {
  const former = await head();
  await database.transaction(skipSequences);
  await write(3);
  const next = await head();
  assert.ok(next > former + 1_000_000_000_000);
  assert.equal((await ask(`/v1/changes?after=${former}`)).status, 200);
  assert.equal((await ask(`/v1/changes?after=${former + 1}`)).body.code, 'CURSOR_EXPIRED');
});
