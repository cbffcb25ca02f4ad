// Stage for listings that are lost: a service that reads a vendor's market, in which one listing is marked, and all that shows it.

import assert from 'node:assert/strict';
import type { VendorName } from '../../../sample/vendors/rules.ts';
import type { Listing } from '../../../src/listings/record.ts';
import { poll } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import { toolCaller } from '../mcp/call-tool.ts';
import { openFeed } from '../watch/feed-reader.ts';
import { sendWatcher } from '../watch/watchers.ts';
import { startVendorService, type VendorService, type VendorServiceOptions } from './vendor-service.ts';

export const HOUR = 3_600_000;
const PHOTOS = 'https://pictures.test/of';
/** Found in the texts and people of one listing alone. */
export const WORD = 'zyzzogeton';
/** In its text, too; watchers keep what they search for. */
const SEARCHED = 'quillwort';

export interface Stage extends VendorService {
  readonly key: string;
  readonly listing: string;
  /** What must be found of the listing nowhere: its word, and addresses of its photos. */
  readonly marks: RegExp;
}

/** A service that has read a vendor's market, in which one listing is marked. */
export async function startStage(
  t: Closing,
  name: VendorName,
  options: VendorServiceOptions = {},
): Promise<Stage> {
  let key = '';
  const started = await startVendorService(t, name, {
    photosUrl: PHOTOS,
    ...options,
    prepare({ world }) {
      const marked = [...world.market.visible()].find(
        ({ status, photos, side }) => status === 'Active' && photos > 2 && side === 'sale',
      );
      key = marked?.key ?? '';
      world.change(key, mark(WORD));
    },
  });
  return { ...started, key, listing: started.id(key), marks: new RegExp(`${WORD}|/${key}/`, 'i') };
}

export const mark = (word: string) => ({
  PublicRemarks: `A ${word} cottage, ${SEARCHED}`,
  ListAgentFullName: `Ann ${word}`,
  ListAgentEmail: `${word}@agents.test`,
  ListAgentKey: `agent-${word}`,
  ListOfficeName: `${word} and partners`,
});

/** Statuses of requests that came while much time passed at once: keys are unknown for a moment, and requests too slow. */
const HURRIED: readonly number[] = [408, 503];

/** The answer to a GET with the key of a caller who sees everything; to pages without a key. */
export const ask = ({ service }: Stage, path: string): Promise<Response> =>
  poll(`${path} is answered`, async () => {
    const answer = await service.get(path, path.startsWith('/v1') ? service.keys.internal : undefined);
    return HURRIED.includes(answer.status) ? undefined : answer;
  });

/** The listing as it is stored. */
export async function read(stage: Stage): Promise<Listing> {
  const answer = await ask(stage, `/v1/listing/${stage.listing}/record`);
  assert.equal(answer.status, 200);
  return (await answer.json()) as Listing;
}

/** Everything that shows listings, as text. */
export async function readAll(stage: Stage): Promise<string> {
  const { service, listing, key } = stage;
  const { keys, url } = service;
  const { propertyId: property } = await read(stage);
  const paths = [
    `/v1/listing/${listing}/record`,
    `/v1/property/${listing}?include=listings,history,photos,reso&freshness=cached`,
    `/v1/property/${property}?include=listings,history,photos,reso`,
    `/v1/property/${listing}/listings`,
    `/v1/property/${listing}/comparables`,
    `/v1/search/sales?q=${WORD}&status=any`,
    '/v1/search/sales?status=any&limit=500&include=reso,history,property',
    '/v1/search/sales?status=any&format=csv&limit=500',
    `/v1/search/sales?ids=${listing}&status=any`,
    `/v1/search/sales?agentId=agent-${WORD}&status=any`,
    '/v1/events?limit=100',
    '/v1/changes?limit=100',
    '/v1/changes/ndjson',
    `/explore/listing/${listing}`,
    '/explore',
    '/',
  ];
  const texts: string[] = [];
  for (const path of paths) {
    const answer = await ask(stage, path);
    // The request itself says what is searched.
    texts.push(
      `${path.split('?')[0]} ${answer.status} ${(await answer.text()).replaceAll(encodeURI(path), '')}`,
    );
  }
  const call = toolCaller(url, keys.internal);
  texts.push(JSON.stringify(await call('get_property', { id: listing, freshness: 'cached' })));
  const feed = await openFeed(url, keys.internal);
  const head = await openFeed(url, keys.internal, { path: '/v1/events/stream?after=now' });
  texts.push(feed.text());
  feed.leave();
  head.leave();
  assert.ok(
    texts.every((text) => !text.includes(' 500 ')),
    `${key}: ${texts.find((text) => text.includes(' 500 '))}`,
  );
  return texts.join('\n');
}

export async function watch({ service, listing }: Stage): Promise<void> {
  const events = ['search.match_added', 'search.match_removed', 'listing.updated', 'listing.deleted'];
  const query = { currency: 'USD', q: SEARCHED };
  for (const target of [
    { type: 'search', listingType: 'sale', query },
    { type: 'listing', listingId: listing },
  ]) {
    const body = { target, backfill: target.type === 'search', ...(target.type === 'search' && { events }) };
    const answer = await sendWatcher(service, 'POST', '', { key: service.keys.internal, body });
    assert.equal(answer.status, 201, answer.text);
  }
}

/** Lets a day pass, hour by hour, each with the work that it brings. */
export async function passDay({ pass }: Stage): Promise<void> {
  for (let hour = 0; hour < 24; hour += 1) await pass(HOUR);
}

/** Where the listing's marks are found in a text, each with what stands around it. */
export function found(text: string, { marks }: Pick<Stage, 'marks'>): string[] {
  const all = new RegExp(`\\n(?:public\\.\\w+|/\\S+ \\d+)(?=\\s)|.{0,80}(?:${marks.source}).{0,80}`, 'gi');
  let place = '';
  return [...`\n${text}`.matchAll(all)].flatMap(([match]) => {
    if (marks.test(match)) return [`${place}: ${match}`];
    place = match.trim();
    return [];
  });
}

export const isErased = async ({ service }: Stage): Promise<boolean> => {
  const rows = await service.database.read((sql) => sql`select from listing_erasure`);
  return rows.length === 0;
};
