// Promises about open houses on the page of one home: by the clocks of its place, whose zone is named.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { textOf } from '../../support/browser/page-text.ts';
import { draft, NO_ADDRESS } from '../../support/catalogue/drafts.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const service = await startService({ after }, { clock: manualClock(NOW) });
const { database } = service;

const area = (name: string, timeZone: string) => ({
  type: 'city' as const,
  externalId: name,
  name,
  aliases: [],
  codes: {},
  timeZone,
  parentReference: null,
  population: null,
  boundary: null,
});
await writeAreaBatch(database, 'test', [area('West', 'America/Los_Angeles'), area('East', 'Asia/Tokyo')]);

async function pageOf(city: string, startsAt: string, endsAt: string | null): Promise<string> {
  const house = {
    id: '1',
    startsAt,
    endsAt,
    type: 'Public',
    status: null,
    remarks: null,
    livestreamUrl: null,
    appointmentRequired: null,
  };
  const home = draft(`${city} ${startsAt}`, { address: { ...NO_ADDRESS, city }, openHouses: [house] });
  await database.transaction((tx) => createCatalogue(database).write(tx, 'test', [home], NOW));
  const [row] = await database.read(
    (sql) => sql<{ id: string }[]>`select id from listing where listing_key = ${home.listingKey}`,
  );
  const answer = await service.get(`/explore/listing/${row?.id}`, undefined, { accept: 'text/html' });
  const source = await answer.text();
  const [panel = ''] = /<section class="panel home-broker".*?<\/section>/s.exec(source) ?? [];
  return `${/datetime="([^"]*)"/.exec(panel)?.[1]} ${textOf(panel).replace(/\s+/g, ' ').trim()}`;
}

test('an open house is shown on the day and at the time of its place, in winter and in summer', async () => {
  for (const [city, from, to, expected] of [
    // In Los Angeles it is still Saturday.
    [
      'West',
      '2026-01-11T03:30:00.000Z',
      '2026-01-11T05:00:00.000Z',
      'Jan 10 Open house Saturday, 19:30 to 21:00 PST',
    ],
    ['West', '2026-07-04T20:00:00.000Z', null, 'Jul 4 Open house Saturday, 13:00 PDT'],
    // In Tokyo the month has ended.
    ['East', '2026-01-31T16:00:00.000Z', null, 'Feb 1 Open house Sunday, 01:00 GMT+9'],
    ['Nowhere', '2026-01-11T03:30:00.000Z', null, 'Jan 11 Open house Sunday, 03:30 UTC'],
  ] as const)
    assert.equal(await pageOf(city, from, to), `${from} ${expected}`);
});
