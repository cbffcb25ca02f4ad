// Proves that a feed which moves its list price to the price paid changes no asking price: a listing closes, and that is all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoaded } from '../support/sources/replica.ts';
import { isMetadata, listOf, NO_METADATA, recordsOf, replicateFeed } from '../support/sources/strict-feed.ts';

test('a list price that becomes the price paid at the closing is kept, and no change of price is logged', async (t) => {
  const records = recordsOf(1, { ListPrice: 550_000, OriginalListPrice: 550_000 });
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request),
  );
  await feed.passUntil('the load is complete', () => isLoaded(feed));
  records[0] = {
    ...records[0],
    ListPrice: 520_000,
    PreviousListPrice: 550_000,
    ClosePrice: 520_000,
    CloseDate: '2026-01-05',
    StandardStatus: 'Closed',
    ModificationTimestamp: '2026-01-05T12:00:30Z',
  };
  await feed.passUntil('it is closed', async () => (await feed.listing('k0')).record.status === 'CLOSED');
  const { record } = await feed.listing('k0');
  assert.deepEqual([record.price, record.closePrice, record.previousPrice], [550_000, 520_000, null]);
  const events = await feed.database.read(
    (sql) => sql<{ event: string }[]>`select event from listing_event order by sequence`,
  );
  assert.deepEqual(
    events.map(({ event }) => event).filter((event) => event !== 'LISTED'),
    ['CLOSED'],
  );
  const changes = await feed.database.read(
    (sql) => sql<{ changed: string[] }[]>`select changed from change where kind = 'updated'`,
  );
  assert.ok(changes.length > 0 && changes.every(({ changed }) => !changed.includes('price')));
});
