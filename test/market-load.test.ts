// Proves that figures which take long leave searches their connections, and come when their turn has come.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import { draft } from './support/drafts.ts';
import { startService } from './support/service.ts';

const service = await startService({ after });
await service.database.transaction((tx) =>
  createCatalogue(service.database).apply(tx, 'test', [draft('one')], service.clock.now()),
);

test('while many figures wait for the database, searches are answered; then all figures are', async () => {
  const { status } = service.database;
  const path = (at: number): string => `/v1/market/stats?listingType=sale&minPrice=${at}`;
  const [answers, searched] = await service.database.transaction(async (tx) => {
    // No statement of figures can begin before this ends.
    await tx`lock table market_stay, market_event in access exclusive mode`;
    const asked = Array.from({ length: 24 }, (_, at) => service.get(path(at), service.keys.internal));
    const search = await service.get('/v1/search/sales', service.keys.internal);
    assert.ok(status().busy < status().size, 'a connection is left');
    return [asked, search.status] as const;
  });
  assert.equal(searched, 200);
  const statuses = (await Promise.all(answers)).map((answer) => answer.status);
  assert.deepEqual(new Set(statuses), new Set([200]));
});
