// Proves over HTTP that a changed listing is told with what changed: on the page of a watcher, in events, and in digests.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runDigests } from '../../../src/watch/digests/digest-scheduler.ts';
import { findOldestDue } from '../../../src/watch/digests/schedule-store.ts';
import { draft, NO_ADDRESS } from '../../support/catalogue/drafts.ts';
import { writer } from '../../support/catalogue/property-market.ts';
import { until } from '../../support/check/until.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';
import { sendAccount } from '../../support/watch/account.ts';
import type { ReadPage } from '../../support/watch/event-service.ts';
import { isMatched } from '../../support/watch/matching-oracle.ts';
import { sendWatcher, subscriber } from '../../support/watch/watchers.ts';

const clock = manualClock(Date.UTC(2026, 5, 1, 12));
const service = await startService({ after }, { clock });
const { database } = service;
const { subscribe } = subscriber(service);
const write = writer(service);

const ELM = draft('elm', {
  listPrice: 759_900,
  bedrooms: 3,
  description: 'A house.',
  address: { ...NO_ADDRESS, streetNumber: '12', streetName: 'Elm Street', city: 'Austin', state: 'TX' },
});

/** A watcher of the listing, which then changes; whatever is due is told. */
async function watchAndChange(cadence: 'instant' | 'hourly') {
  const ids = await write(ELM);
  const { key } = await subscribe('pro');
  const target = { type: 'listing', listingId: ids.get('elm') };
  const events = ['listing.updated'];
  const created = await sendWatcher(service, 'POST', '', { key, body: { target, events, cadence } });
  assert.equal(created.status, 201, created.text);
  await write({ ...ELM, bedrooms: 4, description: 'A house with a garden.' });
  await until('all changes are matched', () => isMatched(database));
  clock.advance(3_600_000);
  await runDigests({ database, clock });
  // The service runs digests too, and may still be writing this one.
  await until('no digest is due', async () => {
    const oldest = await database.read((sql) => findOldestDue(sql, new Date(clock.now())));
    return oldest === null;
  });
  await until('all changes are matched', () => isMatched(database));
  await write(ELM);
  const { data }: ReadPage = await service.json('/v1/events', key);
  const { text } = await sendAccount(service, { api_key: key, watcher: created.watcher.id });
  return { event: data[0], text };
}

test('“Listing changed” stands with what changed and its former value, and so does the event', async () => {
  const { event, text } = await watchAndChange('instant');
  assert.match(
    text,
    /Listing changed 12 Elm Street, Austin, TX \$759,900 · Changed: bedrooms 4, before 3; description · /,
  );
  const { changedFields, previous } = event?.data ?? {};
  assert.deepEqual(changedFields, ['bedrooms', 'description']);
  assert.deepEqual(previous, { bedrooms: 3 });
});

test('a digest tells each change that is in it, with what changed', async () => {
  const { event, text } = await watchAndChange('hourly');
  assert.equal(event?.type, 'watcher.digest');
  const [inside] = (event?.data.events ?? []) as readonly { readonly data: object }[];
  assert.deepEqual(Object.entries(inside?.data ?? {}).find(([name]) => name === 'changedFields')?.[1], [
    'bedrooms',
    'description',
  ]);
  assert.match(
    text,
    /Digest 1 event together Listing changed: 12 Elm Street, Austin, TX, \$759,900, Changed: bedrooms 4, before 3; description · /,
  );
});
