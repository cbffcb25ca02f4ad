// Proves that a page of new records does not keep the event loop to itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NOW } from '../../../test/support/catalogue/random-market.ts';
import { storedArbitrary } from '../../../test/support/catalogue/stored-listings.ts';
import { EVERYTHING } from '../../access/tiers/reach.ts';
import { UNRECORDED } from '../../http/frame/call-usage.ts';
import type { ReaderView } from '../../listings/presenter.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type PageOptions, pageBody } from './pagination.ts';
import { RecordCache } from './record-cache.ts';

const LISTINGS = 100;

test('while a hundred new records are encoded, others have several turns', async () => {
  const reader: ReaderView = {
    units: 'imperial',
    ignoreDisplayRules: true,
    reach: EVERYTHING,
    allDaysOnMarket: false,
    publicUrl: 'https://homes.example',
    now: NOW,
    source: 'cached',
  };
  const records = new RecordCache({ bytes: 0, monotonic: () => 0 }).view(reader, null, false);
  // Nothing of these is read for a page without parts whose records are new.
  const [database, plan] = [{} as Database, {} as PageOptions['plan']];
  const hits = fc
    .sample(storedArbitrary, { numRuns: LISTINGS, seed: 5 })
    .map((listing) => ({ listing, values: () => [] }));
  let [rounds, isOver] = [0, false];
  const count = (): void => {
    if (isOver) return;
    rounds++;
    setImmediate(count);
  };
  setImmediate(count);
  const { text = '' } = await pageBody(
    'json',
    { database, plan, reader, included: [], hasCursors: false, usage: UNRECORDED, records },
    hits,
    {
      total: LISTINGS,
    },
  );
  isOver = true;
  // Others are withdrawn.
  assert.ok(JSON.parse(text).data.length > LISTINGS / 2);
  assert.ok(rounds >= 5, `${rounds} rounds`);
});
