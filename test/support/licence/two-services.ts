// Two services, one of which never loaded the source that is closed in the other: what they say must be alike.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Channel } from '../../../src/access/tiers/reach.ts';
import { writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { blockSource } from '../../../src/licence/licence-store.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import { area, square } from '../catalogue/catalogue.ts';
import { factsArbitrary, NOW, toDraft } from '../catalogue/random-market.ts';
import { poll } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import { manualClock } from '../service/clock.ts';
import { startService, type TestService } from '../service/service.ts';

const LISTINGS = 160;
const facts = fc.sample(factsArbitrary, { numRuns: LISTINGS, seed: 20_260_105 });
/** Every third listing is of the source that is closed, and half of those are homes that the other one lists too. */
const isClosed = (place: number): boolean => place % 3 === 0;
const drafts = facts.map((each, place) => toDraft(`k${place}`, each));
export const open = drafts.filter((_, place) => !isClosed(place));
export const closed = drafts.filter((_, place) => isClosed(place));

/** Homes that no other source has: names, places and words of theirs are nobody else's. */
export const alone = (each: ListingDraft): ListingDraft => ({
  ...each,
  features: [...each.features, 'moat'],
  currency: 'CAD',
  agent: { id: 'Z9', name: 'Zoe', phone: null, email: null },
  description: 'Turreted castle with a moat',
  address: {
    ...each.address,
    city: 'Zedville',
    full: '99 Moat Lane',
  },
});

/** A service that loaded these listings, by source. */
export async function serve(
  t: Closing,
  sources: Readonly<Record<string, readonly ListingDraft[]>>,
): Promise<TestService> {
  const service = await startService(t, { clock: manualClock(NOW) });
  const { database, clock } = service;
  const catalogue = createCatalogue(database);
  const write = (source: string, each: readonly ListingDraft[]) =>
    database.transaction((tx) => catalogue.write(tx, source, each, clock.now()));
  await writeAreaBatch(database, 'test', [
    { ...area({ type: 'city', name: 'Aldern' }), boundary: square(20, 10, 2) },
    { ...area({ type: 'county', name: 'Ring' }), boundary: square(19, 9, 4) },
  ]);
  for (const [source, each] of Object.entries(sources)) await write(source, each);
  // Prices fall, so that there is a history to tell.
  for (const [source, each] of Object.entries(sources))
    await write(
      source,
      each
        .slice(0, 20)
        .map((one) => ({ ...one, listPrice: one.listPrice === null ? 90_000 : one.listPrice - 1 })),
    );
  return service;
}

/** Without what may differ: the address of the service, ids of requests and homes, cursors, sequences and times. */
export const plain = (text: string, { url }: TestService): string =>
  text
    .replaceAll(url, 'http://service')
    .replaceAll(new URL(url).host, 'service')
    .replaceAll(/(in )?\d+(\.\d+)? ms\b/g, 'MS')
    .replaceAll(/req_[\w-]+/g, 'req_1')
    .replaceAll(/prp_\w+/g, 'prp_1')
    .replaceAll(/"(\w*[cC]ursor|sequence)":("[^"]*"|\d+)/g, '"$1":0')
    .replaceAll(/cursor=[\w%.-]+/g, 'cursor=0')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"(durationMs|tookMs)":\d+/g, '"$1":0')
    .replaceAll(/nonce-[\w+/=-]+|nonce="[^"]*"/g, 'nonce');

/** Shows where two texts part: they are long. */
export function assertAlike(one: string, other: string, what: string): void {
  const end = Math.max(one.length, other.length);
  let at = 0;
  while (at < end && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 300);
  assert.equal(one.slice(from, at + 300), other.slice(from, at + 300), what);
}

/** Blocks channels of a source, and waits until the service has heard of it. */
export async function block(
  { database, get, keys }: TestService,
  source: string,
  channels: readonly Channel[],
) {
  const probe = async () =>
    (await get(`/v1/search/sales?status=any&providerId=${source}&limit=1`, keys.business)).json();
  await database.write((sql) => blockSource(sql, source, channels, new Date(NOW)));
  await poll('the block is heard of', async () => {
    const { data } = (await probe()) as { data: readonly unknown[] };
    return data.length === 0 || undefined;
  });
}
