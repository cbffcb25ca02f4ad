// Proves over HTTP that what a source no longer shows is withheld at once, erased within a day, and whole again when it comes back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Listing } from '../../src/listings/record.ts';
import { until } from '../support/check/until.ts';
import { copyTables } from '../support/database/table-copy.ts';
import { parseEvents } from '../support/sources/live-service.ts';
import {
  ask,
  found,
  HOUR,
  isErased,
  mark,
  passDay,
  read,
  readAll,
  type Stage,
  startStage,
  WORD,
  watch,
} from '../support/sources/marked-listing.ts';
import { untilMatched } from '../support/watch/matching-oracle.ts';

/** What stays of a listing that is lost. */
async function assertMinimum(stage: Stage, before: Listing): Promise<void> {
  const { status, price, address, bedrooms, livingArea, listedAt, provider, ...record } = await read(stage);
  assert.equal(status, 'DELETED');
  assert.deepEqual(
    { price, address, bedrooms, livingArea, listedAt, key: provider.listingKey },
    {
      price: before.price,
      address: before.address,
      bedrooms: before.bedrooms,
      livingArea: before.livingArea,
      listedAt: before.listedAt,
      key: before.provider.listingKey,
    },
  );
  const { description, agent, office, photos, floorPlans, openHouses, virtualTourUrl, listingUrl } = record;
  assert.deepEqual(
    [
      description,
      agent,
      office,
      photos,
      floorPlans,
      openHouses,
      virtualTourUrl,
      listingUrl,
      provider.attribution,
    ],
    [null, null, null, [], [], [], null, null, null],
  );
}

/** Members that a listing has back when it is shown again. */
const shown = ({
  description,
  agent,
  office,
  photos,
  photoCount,
  features,
  price,
  address,
  status,
}: Listing) => ({
  description,
  agent,
  office,
  photos,
  photoCount,
  features,
  price,
  address,
  status,
});

async function history(stage: Stage): Promise<string[]> {
  const answer = await ask(stage, `/v1/property/${stage.listing}?include=history&freshness=cached`);
  const { history } = (await answer.json()) as { history: { event: string }[] };
  return history.map(({ event }) => event);
}

test('a listing that a live read does not find is withheld at once, erased in a day, and whole when it is back', async (t) => {
  const stage = await startStage(t, 'bridge');
  const { service, world, key, listing } = stage;
  const before = await read(stage);
  assert.ok(before.photos.length > 2 && before.agent?.name?.includes(WORD));
  await watch(stage);
  world.change(key, { ListPrice: (before.price ?? 0) - 5_000 });
  await stage.untilRead('the price is read', async () => (await read(stage)).price !== before.price);
  await untilMatched(service.database);
  const changed = await read(stage);
  assert.ok(found(await readAll(stage), stage).length > 20, 'marks are found while it is shown');

  world.remove(key);
  const stream = await service.get(`/v1/listing/${listing}`, service.keys.pro);
  const events = parseEvents(await stream.text());
  assert.deepEqual(
    events.map(({ event }) => event),
    ['cached', 'error', 'done'],
  );
  assert.match(events[1]?.data ?? '', /"not_found_upstream"/);
  await assertMinimum(stage, changed);
  await untilMatched(service.database);
  assert.deepEqual(found(await readAll(stage), stage), []);
  assert.ok((await history(stage)).includes('DELISTED'));
  const kept = found(await copyTables(service.database), stage);
  assert.ok(kept.length > 0, 'watchers need the words until they are matched');
  assert.ok(
    kept.every((each) => each.startsWith('public.change')),
    kept.join('\n'),
  );

  await passDay(stage);
  await until('it is erased', () => isErased(stage));
  assert.deepEqual(found(await copyTables(service.database), stage), []);
  assert.deepEqual(found(await readAll(stage), stage), []);
  assert.deepEqual(found(stage.logged(), stage), []);
  await assertMinimum(stage, changed);

  world.restore(key);
  await stage.untilRead('it is back', async () => (await read(stage)).status === 'ACTIVE');
  assert.deepEqual(shown(await read(stage)), shown(changed));
  assert.ok((await history(stage)).includes('RELISTED'));
  assert.ok(found(await readAll(stage), stage).length > 20);
});

/** Lets everything happen that follows from a loss, and asserts that nothing is left but the minimum; then it comes back. */
async function assertLostAndFound(stage: Stage, before: Listing, restore: () => void): Promise<void> {
  await assertMinimum(stage, before);
  assert.deepEqual(found(await readAll(stage), stage), []);
  await passDay(stage);
  await until('it is erased', () => isErased(stage));
  assert.deepEqual(found(await copyTables(stage.service.database), stage), []);
  assert.deepEqual(found(stage.logged(), stage), []);
  restore();
  await stage.untilRead('it is back', async () => (await read(stage)).status === before.status);
  assert.deepEqual(shown(await read(stage)), shown(before));
}

const isLost = async (stage: Stage): Promise<boolean> => (await read(stage)).status === 'DELETED';

test('a listing that a page flags as no longer to be shown is lost with that page', async (t) => {
  const stage = await startStage(t, 'mlsgrid');
  const before = await read(stage);
  assert.match(before.description ?? '', new RegExp(WORD));
  stage.world.remove(stage.key);
  await stage.untilRead('the flag is read', () => isLost(stage));
  await assertLostAndFound(stage, before, () => stage.world.restore(stage.key));
});

test('a listing that a list of all keys does not name is lost with it, and fetched when a later list names it', async (t) => {
  const stage = await startStage(t, 'trestle', { overrides: { deletes: { sweep: { hours: 1 } } } });
  const before = await read(stage);
  stage.world.remove(stage.key);
  await stage.pass(HOUR);
  await stage.untilRead('the keys are read', () => isLost(stage));
  await assertLostAndFound(stage, before, () => stage.world.restore(stage.key));
});

test('a listing that its source deletes by its status is lost, though its record still has everything', async (t) => {
  const stage = await startStage(t, 'standard');
  const before = await read(stage);
  stage.world.change(stage.key, { StandardStatus: 'Delete', ...mark(WORD) });
  await stage.untilRead('the status is read', () => isLost(stage));
  await assertLostAndFound(stage, before, () =>
    stage.world.change(stage.key, { StandardStatus: 'Active', ...mark(WORD) }),
  );
});

test('photos that are a resource of their own are read again for a listing that comes back, though they are the same', async (t) => {
  const stage = await startStage(t, 'trestle', { overrides: { media: { from: 'resource' } } });
  const { service, world, key, listing } = stage;
  const before = await read(stage);
  assert.ok(before.photos.length > 2);
  for (const bringsBack of ['page', 'live read']) {
    world.remove(key);
    await (await service.get(`/v1/listing/${listing}`, service.keys.pro)).text();
    await assertMinimum(stage, before);
    world.restore(key);
    if (bringsBack === 'live read')
      await (await service.get(`/v1/listing/${listing}`, service.keys.pro)).text();
    else await stage.untilRead('it is back', async () => !(await isLost(stage)));
    assert.deepEqual(shown(await read(stage)), shown(before), bringsBack);
  }
});
