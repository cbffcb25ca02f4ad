// Proves that listings of a source that came without areas get areas from their addresses, which can be searched, and a word on boundaries.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { makeAddressAreas } from '../../src/ingest/reviews/address-areas.ts';
import { startStoredReview } from '../../src/ingest/reviews/stored-review.ts';
import { createLog } from '../../src/lib/log.ts';
import { startAddressAreas } from '../../src/sources/address-area-upkeep.ts';
import { area, at, square, startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { atEnd } from '../support/database/database.ts';

const { clock, database, found, keys, service, write } = await startCatalogue({ after });
const lines: string[] = [];
const log = createLog({ level: 'info', stream: { write: (line: string) => void lines.push(line) } });
const report = (error: unknown) => assert.fail(String(error));
const upkeep = startAddressAreas({ database, clock, log, sources: () => ['test'], report });
const review = startStoredReview({ database, clock, report });
atEnd({ after }, () => upkeep.stop());
atEnd({ after }, () => review.stop());

const address = (city: string, state: string, county: string | null, postalCode: string) => ({
  ...NO_ADDRESS,
  city,
  state,
  county,
  postalCode,
  country: 'US',
});
const { ids } = await write(
  draft('or', { address: address('Springfield', 'OR', 'Lane', '97477'), location: at(44, -123) }),
  draft('or-placeless', { address: address('springfield', 'OR', null, '97477') }),
  draft('il', { address: address('Springfield', 'IL', 'Sangamon', '62701') }),
);

/** Runs rounds until no review is open. */
async function settle(): Promise<void> {
  upkeep.runNow();
  await until('all listings are placed', async () => {
    review.runNow();
    const [row] = await database.read(
      (sql) => sql`
        select (select count(*) from stored_review where finished_at is null)::int as open,
          (select count(*) from area)::int as areas`,
    );
    return row?.open === 0 && Number(row.areas) > 0;
  });
}

const within = async (id: string) => (await found(`areaId=${id}`)).map((listing) => listing.id).sort();
const named = (...names: string[]) => names.map((name) => ids.get(name)).sort();

test('once the first load is complete there is an area for each city, county, postal code and state', async () => {
  await database.write(
    (sql) => sql`
      insert into source_position (source, position, version, loaded, loaded_at, updated_at)
      values ('test', '{}', 1, 3, now(), now())`,
  );
  await settle();
  const areas = await database.read(
    (sql) => sql<{ id: string; name: string }[]>`select id, name from area order by id`,
  );
  assert.deepEqual(
    areas.map(({ id, name }) => `${id} ${name}`),
    [
      'city-springfield-il-us Springfield',
      'city-springfield-or-us Springfield',
      'country-us US',
      'county-lane-or-us Lane',
      'county-sangamon-il-us Sangamon',
      'postal-code-62701-us 62701',
      'postal-code-97477-us 97477',
      'state-il-us IL',
      'state-or-us OR',
    ],
  );
  assert.deepEqual(await within('city-springfield-or-us'), named('or', 'or-placeless'));
  assert.deepEqual(await within('city-springfield-il-us'), named('il'));
  assert.deepEqual(await within('county-lane-or-us'), named('or'));
  assert.deepEqual(await within('postal-code-97477-us'), named('or', 'or-placeless'));
  assert.deepEqual(await within('state-or-us'), named('or', 'or-placeless'));
  assert.equal((await within('country-us')).length, 3);
  const { counts }: { counts: object } = await service.json('/v1/areas/city-springfield-or-us', keys.pro);
  assert.deepEqual(counts, { rentals: 0, sales: 2 });
  assert.match(lines.join(''), /9 areas were made .* no boundaries: .*freehold import areas FILE --map MAP/);
});

test('a later listing lies in them at once, and a new name gets its area within a day', async () => {
  const later = await write(draft('later', { address: address('Springfield', 'IL', null, '62702') }));
  assert.ok((await within('city-springfield-il-us')).includes(later.ids.get('later') ?? ''));
  clock.advance(86_400_000);
  await settle();
  await until('the new postal code is an area', async () => {
    upkeep.runNow();
    return (await service.get('/v1/areas/postal-code-62702-us', keys.internal)).status === 200;
  });
  await settle();
  assert.deepEqual(await within('postal-code-62702-us'), [later.ids.get('later')]);
});

test('where areas were imported none are made', async () => {
  await writeAreaBatch(database, 'mine', [area({ type: 'custom', name: 'Mine', boundary: square(0, 0, 1) })]);
  await write(draft('last', { address: address('Quincy', 'IL', 'Adams', '62301') }));
  assert.equal(await makeAddressAreas(database, database, () => false), 0);
  assert.equal((await service.get('/v1/areas/city-quincy-il-us', keys.internal)).status, 404);
});
