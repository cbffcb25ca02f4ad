// Proves what imported listings show without a display rule, and in whose time their open houses are.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Bench, openImports } from '../support/catalogue/import-service.ts';

const { bench, file, mapFile } = await openImports({ after });

const HEAD = 'id,price,lat,lng,open,state,shown,street,value';
const FIELDS = {
  openHouses: { column: 'open' },
  'address.state': { column: 'state' },
  'address.country': { constant: 'US' },
  'display.listing': { column: 'shown' },
  'display.address': { column: 'street' },
  'display.estimate': { column: 'value' },
};

async function imported({ outcome }: Bench, name: string, lines: readonly string[], more: object = {}) {
  const path = await file(`${name}.csv`, [HEAD, ...lines].join('\n'));
  const result = await outcome('listings', path, '--map', await mapFile(`${name}.json`, more, FIELDS));
  assert.equal(result.rejected, 0, JSON.stringify(result));
}

test('what a row does not say of display follows displayDefault, for listing, address and estimate alike', async (t) => {
  const service = await bench(t);
  const shown = () =>
    service.database.read(
      (sql) => sql<{ key: string; listing: boolean; address: boolean; estimate: string }[]>`
        select listing_key as key, displayed as listing, address_displayed as address,
          record -> 'property' ->> 'estimateDisplayed' as estimate from listing order by listing_key`,
    );
  const lines = ['a,1,40,-90,,,,,', 'b,1,40,-90,,,true,true,true', 'c,1,40,-90,,,false,false,false'];
  const rules = async () =>
    (await shown()).map(({ key, ...flags }) => [key, ...Object.values(flags).map(String)]);
  const [said, denied] = [
    ['b', 'true', 'true', 'true'],
    ['c', 'false', 'false', 'false'],
  ];
  await imported(service, 'open', lines);
  assert.deepEqual(await rules(), [['a', 'true', 'true', 'true'], said, denied]);
  await imported(service, 'closed', lines, { displayDefault: 'withhold' });
  assert.deepEqual(await rules(), [['a', 'false', 'false', 'false'], said, denied]);
  await imported(service, 'open-again', lines, { displayDefault: 'show' });
  assert.deepEqual(await rules(), [['a', 'true', 'true', 'true'], said, denied]);
  const wrong = await service.run(
    'listings',
    await file('any.csv', HEAD),
    '--map',
    await mapFile('wrong.json', { displayDefault: 'hide' }, FIELDS),
  );
  assert.match(wrong.stderr, /displayDefault: must be show or withhold/);
});

test('an open house is at the clocks of its place, unless its times or the map say another zone', async (t) => {
  const service = await bench(t);
  const lines = [
    'a,1,45.5,-122.6,2026-01-03T13:00/2026-01-03T15:00,OR,,,',
    'b,1,45.5,-122.6,2026-07-03T13:00,OR,,,',
    'c,1,45.5,-122.6,2026-01-03T13:00-05:00,OR,,,',
    'd,1,45.5,-122.6,2026-01-03T13:00Z,OR,,,',
    'e,1,21.3,-157.8,2026-01-03 13:00:30,HI,,,',
  ];
  const times = async () => {
    const rows = await service.database.read(
      (sql) => sql<{ houses: { startsAt: string; endsAt: string | null }[] }[]>`
        select (record ->> 'openHouses')::json as houses from listing order by listing_key`,
    );
    return rows.map(({ houses: [house] }) => [house?.startsAt, house?.endsAt]);
  };
  await imported(service, 'local', lines);
  assert.deepEqual(await times(), [
    ['2026-01-03T21:00:00.000Z', '2026-01-03T23:00:00.000Z'],
    ['2026-07-03T20:00:00.000Z', null],
    ['2026-01-03T18:00:00.000Z', null],
    ['2026-01-03T13:00:00.000Z', null],
    ['2026-01-03T23:00:30.000Z', null],
  ]);
  await imported(service, 'zoned', lines, { timeZone: 'America/New_York' });
  assert.deepEqual(
    (await times()).map(([start]) => start),
    [
      '2026-01-03T18:00:00.000Z',
      '2026-07-03T17:00:00.000Z',
      '2026-01-03T18:00:00.000Z',
      '2026-01-03T13:00:00.000Z',
      '2026-01-03T18:00:30.000Z',
    ],
  );
});
