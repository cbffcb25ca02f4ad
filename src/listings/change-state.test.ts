// Proves that the summary of a listing has no texts, photos or people in it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draft } from '../../test/support/catalogue/drafts.ts';
import { type ChangeState, summarizeListing } from './change-state.ts';
import { resolveDates } from './reported-dates.ts';
import { buildStoredRecord } from './stored-record.ts';

test('a summary has prices, sizes, place and open houses, and no text, photo or agent', () => {
  const agent = { id: 'a1', name: 'Ann', phone: null, email: null };
  const house = {
    id: 'o1',
    startsAt: '2026-01-10T10:00:00.000Z',
    endsAt: null,
    type: null,
    status: 'Active',
  };
  const given = draft('k', {
    listPrice: 5,
    agent,
    description: 'Bright',
    openHouses: [{ ...house, remarks: 'Ring', livestreamUrl: null, appointmentRequired: null }],
  });
  const input = { draft: given, dates: resolveDates(given, 'UTC'), before: null, observedAt: 0 };
  const summary: ChangeState['listing'] = summarizeListing(
    buildStoredRecord('s', { listing: 'lst_1', property: 'prp_1' }, input),
  );
  assert.deepEqual(summary.openHouses, [house]);
  assert.deepEqual([summary.id, summary.price, summary.areaUnit], ['lst_1', 5, 'sqft']);
  assert.doesNotMatch(JSON.stringify(summary), /Bright|Ann|Ring/);
});
