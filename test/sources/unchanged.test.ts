// Proves what is no change of a listing: days that are counted on, and another spelling of the same status.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });
const catalogue = createCatalogue(database);

/** Whether a record that says this is a change of the one before. */
async function isChange(record: Partial<ListingDraft>): Promise<boolean> {
  const written = await database.transaction((tx) =>
    catalogue.write(tx, 'feed', [draft('one', { listPrice: 5, ...record })], database.clock.now()),
  );
  return written.changed + written.created > 0;
}

test('days on the market that are counted on are no change, and other numbers of them are', async () => {
  assert.equal(await isChange({ daysOnMarketReported: 7, statusRaw: 'ActiveUnderContract' }), true);
  assert.equal(await isChange({ daysOnMarketReported: 8, statusRaw: 'ActiveUnderContract' }), false);
  assert.equal(await isChange({ daysOnMarketReported: 9, statusRaw: 'Active Under Contract' }), false);
  assert.equal(await isChange({ daysOnMarketReported: 7, statusRaw: 'ACTIVE_UNDER_CONTRACT' }), false);
  assert.equal(await isChange({ daysOnMarketReported: 2, statusRaw: 'Active Under Contract' }), true);
  assert.equal(await isChange({ daysOnMarketReported: null, statusRaw: 'Active Under Contract' }), true);
  assert.equal(await isChange({ daysOnMarketReported: null, statusRaw: 'Contingent' }), true);
  assert.equal(await isChange({ daysOnMarketReported: 9, listPrice: 6, statusRaw: 'Contingent' }), true);
});
