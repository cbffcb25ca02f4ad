// Proves that an open house is at the hour that clocks at its place show.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapped } from '../../test/support/sources/mapping.ts';
import { type PlacedArea, Placement } from '../areas/placement.ts';
import { withPlaceTimes } from './place-times.ts';

const city = (timeZone: string | null): PlacedArea => ({
  no: 1,
  type: 'city',
  name: 'Springfield',
  aliases: [],
  codes: {},
  parentNos: [],
  areaKm2: null,
  boundary: null,
  timeZone,
});

function hoursOf(
  start: string,
  fields: Readonly<Record<string, unknown>>,
  areas: readonly PlacedArea[] = [],
) {
  const house = { OpenHouseKey: 'a', OpenHouseStartTime: start, OpenHouseEndTime: '2026-07-04T15:00:00' };
  const draft = withPlaceTimes(
    mapped({ City: 'Springfield', ...fields, OpenHouse: [house] }),
    new Placement(areas),
  );
  return draft.openHouses?.map(({ startsAt, endsAt }) => [startsAt, endsAt])[0];
}

test('an open house at 13:00 in Oregon is at 13:00 there', () => {
  const oregon = ['2026-07-04T20:00:00.000Z', '2026-07-04T22:00:00.000Z'];
  assert.deepEqual(hoursOf('2026-07-04T13:00:00', { StateOrProvince: 'OR' }), oregon);
  assert.deepEqual(hoursOf('2026-07-04T13:00:00', {}, [city('America/Los_Angeles')]), oregon);
});

test('areas know the zone of a place better than its state', () => {
  const [start] = hoursOf('2026-07-04T13:00:00', { StateOrProvince: 'OR' }, [city('America/Boise')]) ?? [];
  assert.equal(start, '2026-07-04T19:00:00.000Z');
});

test('a time with a zone is that moment, wherever it is', () => {
  const [start] = hoursOf('2026-07-04T13:00:00-05:00', { StateOrProvince: 'OR' }) ?? [];
  assert.equal(start, '2026-07-04T18:00:00.000Z');
});

test('an hour beside a date is one of the place too, in winter as in summer', () => {
  const house = { OpenHouseKey: 'a', OpenHouseDate: '2026-12-05', OpenHouseStartTime: '13:00' };
  const draft = withPlaceTimes(mapped({ StateOrProvince: 'OR', OpenHouse: [house] }), new Placement([]));
  assert.equal(draft.openHouses?.[0]?.startsAt, '2026-12-05T21:00:00.000Z');
});
