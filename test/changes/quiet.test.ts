// Proves that what a source brings for the first time is in the log and quiet, and what it changes afterwards is not.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { writePage } from '../../src/sources/page-writer.ts';
import { readPosition } from '../../src/sources/store.ts';
import { changesAfter, loadedAfter } from '../support/catalogue/change-log.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { importFile } from '../support/catalogue/imports.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });
const folder = await temporaryFolder({ after }, 'quiet');

/** Whether each change after a sequence is quiet, in order, and the sequence of the last. */
async function quietAfter(head: number): Promise<{ quiet: boolean[]; head: number }> {
  const [changes, loaded] = [await changesAfter(database, head), await loadedAfter(database, head)];
  const all = [...changes, ...loaded.map(({ sequence }) => ({ sequence, quiet: true }))];
  return {
    quiet: all.map(({ quiet }) => quiet),
    head: Math.max(head, ...all.map(({ sequence }) => sequence)),
  };
}

test('the first import of a source is quiet until it has come to its end once', async () => {
  const load = (content: string) => importFile(database, folder, { name: 'small.csv', content });
  const { head } = await quietAfter(0);
  await load('id,price\na,1\nb,2\n');
  const first = await quietAfter(head);
  assert.deepEqual(first.quiet, [true, true]);
  await load('id,price\na,3\nb,2\nc,4\n');
  assert.deepEqual((await quietAfter(first.head)).quiet, [false, false]);
});

test('the pages of a first load are quiet, the one that completes it included', async () => {
  const catalogue = createCatalogue(database);
  const metrics = {
    records: () => {},
    failed: () => {},
    fieldErrors: () => {},
    caughtUp: () => {},
    begins: () => {},
    ended: () => {},
    events: () => {},
    followed: () => {},
  };
  const hold = async () => {};
  const options = { source: { id: 'feed' }, catalogue, database, clock: systemClock, metrics, hold };
  let position = await database.read((sql) => readPosition(sql, 'feed'));
  let { head } = await quietAfter(0);
  for (const [number, last, quiet] of [
    [1, false, true],
    [2, true, true],
    [3, true, false],
  ] as const) {
    const drafts = [draft('fed', { listPrice: number })];
    const page = { drafts, gone: [], next: { number }, last, total: null, restarted: false };
    position = await writePage(options, page as never, position);
    const seen = await quietAfter(head);
    assert.deepEqual(seen.quiet, [quiet]);
    head = seen.head;
  }
});
