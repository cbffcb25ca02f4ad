// Closed to watchers: of a source that is closed, no event, match, feed or stream says anything, also right after a block.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { until } from '../support/check/until.ts';
import { alone, assertAlike, block, closed, open, plain, serve } from '../support/licence/two-services.ts';
import type { TestService } from '../support/service/service.ts';
import { openFeed } from '../support/watch/feed-reader.ts';
import { untilMatched } from '../support/watch/matching-oracle.ts';
import { sendWatcher } from '../support/watch/watchers.ts';

const EVENTS = [
  'search.match_added',
  'search.match_removed',
  'listing.created',
  'listing.updated',
  'listing.deleted',
];
const TARGETS = [
  { type: 'search', listingType: 'sale', query: { status: ['any'] } },
  { type: 'search', listingType: 'rental', query: { status: ['any'], q: 'moat' } },
  { type: 'search', listingType: 'sale', query: { status: ['any'], maxPrice: 400_000, currency: 'USD' } },
];

/** Half of them are homes that the other source lists too. */
const shut = closed.map((each, place) => (place % 2 === 0 ? alone(each) : each));
const file = { after };
const both = await serve(file, { b: shut, a: open });
const only = await serve(file, { a: open });
const sides = [both, only] as const;
await block(both, 'b', ['search', 'watchers', 'stream']);

/** Without ids of watchers and events, which each service gives by itself. */
const unnamed = (text: string, service: TestService): string =>
  plain(text, service).replaceAll(/(evt|wat|own)_[\w-]+/g, '$1_1');

async function watch(service: TestService, target: object, backfill: boolean): Promise<string> {
  const { status, text, watcher } = await sendWatcher(service, 'POST', '', {
    key: service.keys.business,
    body: { target, events: EVENTS, backfill },
  });
  assert.equal(status, 201, text);
  return watcher.id;
}

/** Raises prices, ends listings and opens new ones of a source. */
async function change(
  { database, clock }: TestService,
  source: string,
  each: readonly ListingDraft[],
): Promise<void> {
  const catalogue = createCatalogue(database);
  const dearer = each.slice(0, 30).map((one) => ({ ...one, listPrice: (one.listPrice ?? 0) + 5_000 }));
  const ended = each.slice(30, 35).map((one) => ({ ...one, status: 'CLOSED' as const }));
  const fresh = each.slice(0, 5).map((one) => ({ ...one, listingKey: `${one.listingKey}-again` }));
  await database.transaction((tx) =>
    catalogue.write(tx, source, [...dearer, ...ended, ...fresh], clock.now()),
  );
}

async function readAll(service: TestService, watchers: readonly string[]): Promise<string[]> {
  const paths = [
    '/v1/watchers?limit=100',
    ...watchers.flatMap((id) => [
      `/v1/watchers/${id}`,
      `/v1/watchers/${id}/events?limit=100`,
      `/v1/watchers/${id}/matches?limit=100`,
    ]),
  ];
  return Promise.all(
    paths.map(async (path) => {
      const answer = await service.get(path, service.keys.business);
      return unnamed(`${answer.status} ${await answer.text()}`, service);
    }),
  );
}

test('watchers say of a closed source what they say where it was never loaded', async (t) => {
  const watchers = await Promise.all(
    sides.map(async (service) => {
      const made: string[] = [];
      for (const [place, target] of TARGETS.entries()) made.push(await watch(service, target, place === 0));
      return made;
    }),
  );
  const feeds = await Promise.all(sides.map(({ url, keys }) => openFeed(url, keys.business)));
  t.after(() => {
    for (const feed of feeds) feed.leave();
  });
  await change(both, 'b', shut);
  for (const service of sides) await change(service, 'a', open);
  await change(both, 'b', shut.toReversed());
  await Promise.all(sides.map(({ database }) => untilMatched(database)));
  const [one = [], other = []] = await Promise.all(
    sides.map((service, place) => readAll(service, watchers[place] ?? [])),
  );
  assert.match(other.join(), /search\.match_added/);
  for (const [place, text] of one.entries()) assertAlike(text, other[place] ?? '', `answer ${place}`);
  await until('both feeds have told as much', () => feeds[0]?.events.length === feeds[1]?.events.length);
  const told = feeds.map(({ events }, place) =>
    // Those of one change are in the order of the watchers' ids.
    events
      .map(({ data }) => unnamed(data, sides[place] ?? both))
      .sort()
      .join('\n'),
  );
  assertAlike(told[0] ?? '', told[1] ?? '', 'feeds');
});

test('a stream of a closed home is refused as one that never was, and one of a home of two sources shows the open one', async () => {
  const read = async (service: TestService, id: string) => {
    const answer = await service.get(`/v1/listing/${id}`, service.keys.business);
    return plain(`${answer.status} ${await answer.text()}`, service);
  };
  const ids = (source: string) =>
    both.database.read(
      (sql) => sql<{ id: string }[]>`
        select id from listing where source = ${source} and displayed and status not in ('INCOMPLETE', 'DELETED')
        order by id limit 8`,
    );
  const refused = await read(only, 'lst_00000000000000000000000000');
  for (const { id } of [...(await ids('b')), ...(await ids('a'))]) {
    for (const { clock } of [both, only]) clock.advance(20_000);
    assertAlike(await read(both, id), await read(only, id), id);
  }
  assert.match(refused, /^404/);
});
