// Random listings as the database has them, with whatever a source may say.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Placement } from '../../../src/areas/placement.ts';
import { planWrite } from '../../../src/ingest/write-plan.ts';
import { formatTime } from '../../../src/lib/clock.ts';
import type { StoredListing } from '../../../src/listings/store.ts';
import { DAY, factsArbitrary, NOW, toDraft } from './random-market.ts';

const NOWHERE = new Placement([]);
/** Moments about that of the market: milliseconds. */
export const momentArbitrary = fc
  .oneof(
    fc.constantFrom(-400 * DAY, -1, 0, 1, DAY - 1, DAY, 45 * DAY),
    fc.integer({ min: -DAY, max: 60 * DAY }),
  )
  .map((offset) => NOW + offset);

/** Listings as the database has them. */
export const storedArbitrary = fc
  .record({
    facts: factsArbitrary,
    text: fc.option(fc.string({ unit: 'binary' }), { nil: null }),
    version: fc.nat(9),
    areaIds: fc.subarray(['area_1', 'area_2', 'area_3']),
    earlierDays: fc.nat(40),
    fetchedAt: momentArbitrary,
  })
  .map(({ facts, text, fetchedAt, ...rest }): StoredListing => {
    const draft = { ...toDraft('key', facts), ...(text !== null && { description: text }) };
    const write =
      planWrite('test', draft, null, NOWHERE, NOW, undefined, undefined, false, () => 1) ?? assert.fail();
    const { id, source, propertyId, clock } = write;
    return {
      id,
      source,
      propertyId,
      listingKey: 'key',
      listingType: draft.listingType,
      status: draft.status,
      licenceNo: write.licenceNo,
      displayed: draft.display.listing,
      addressDisplayed: draft.display.address,
      timeZone: write.timeZone,
      record: JSON.parse(JSON.stringify(write.record)),
      daysOnMarketStart: formatTime(clock.start),
      daysOnMarketEnd: formatTime(clock.end),
      createdAt: new Date(NOW).toISOString(),
      updatedAt: new Date(NOW + 5).toISOString(),
      fetchedAt: new Date(fetchedAt).toISOString(),
      ...rest,
    };
  });
