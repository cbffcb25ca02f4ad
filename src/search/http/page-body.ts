// Body of a page of search results, as JSON or GeoJSON: encoded listings, joined.

import type { Reply } from '../../http/output/reply.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import { EncodedListing } from '../../listings/encoded-listing.ts';
import { findIncluded } from '../../listings/included.ts';
import { findConfirmations } from '../../listings/provenance/confirmation-store.ts';
import type { StoredListing } from '../../listings/store.ts';
import type { SearchHit } from '../query/search-backend.ts';
import type { RowOptions } from './formats.ts';
import type { RecordView } from './record-cache.ts';

export interface PageOptions extends RowOptions {
  readonly records: RecordView;
}

export type PageFormat = 'json' | 'geojson';

type Hits = readonly SearchHit<EncodedListing>[];

/** Listings of a chunk; fewer are written as a whole. */
const CHUNK = 100;

/** The listings that this reader may see, with the requested fields and parts, and the members of `rest`. */
export async function pageBody(
  format: PageFormat,
  options: PageOptions,
  hits: Hits,
  rest: object,
): Promise<Pick<Reply, 'text' | 'chunks'>> {
  const listings = hits.map(({ listing }) => listing);
  await options.records.confirm(listings, (ids) => findConfirmations(options.database, ids));
  const rows = encodeRows(format, options, listings, await findAdditions(options, listings));
  if (listings.length <= CHUNK)
    return { text: HEADS[format] + (await Array.fromAsync(rows)).join() + tailOf(rest) };
  return { chunks: writeChunks(HEADS[format], rows, tailOf(rest)) };
}

const HEADS: Readonly<Record<PageFormat, string>> = {
  json: '{"object":"list","data":[',
  geojson: '{"type":"FeatureCollection","features":[',
};
const tailOf = (rest: object): string => `],${JSON.stringify(rest).slice(1)}`;

type Additions = Awaited<ReturnType<typeof findIncluded>>;

/** Parts of listings whose records were read, which are all that a request with parts has. */
async function findAdditions(
  { database, reader, included }: PageOptions,
  listings: readonly (StoredListing | EncodedListing)[],
): Promise<Additions | null> {
  if (included.length === 0) return null;
  const stored = listings.filter((listing): listing is StoredListing => !(listing instanceof EncodedListing));
  return findIncluded(database, stored, included, reader);
}

/** Each is encoded when it is its turn, unless it was before. */
async function* encodeRows(
  format: PageFormat,
  { reader, records }: PageOptions,
  listings: readonly (StoredListing | EncodedListing)[],
  additions: Additions | null,
): AsyncGenerator<string, void, void> {
  const task = eventLoop.task();
  for (const listing of listings) {
    if (!(listing instanceof EncodedListing) && task.shouldYield()) await task.yield();
    const record = records.encode(listing);
    if (record === null) continue;
    const json = withMembers(record.json(reader), additions?.get(record.id) ?? {});
    yield format === 'json' ? json : featureOf(record.id, record.location, json);
  }
}

/** A JSON object with more members behind its own. */
function withMembers(json: string, members: object): string {
  const added = JSON.stringify(members);
  return added === '{}' ? json : `${json.slice(0, -1)},${added.slice(1)}`;
}

async function* writeChunks(
  head: string,
  rows: AsyncIterable<string>,
  tail: string,
): AsyncGenerator<string, void, void> {
  let [chunk, count] = [head, 0];
  for await (const row of rows) {
    chunk += count === 0 ? row : `,${row}`;
    count++;
    if (count % CHUNK !== 0) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk + tail;
}

/** A GeoJSON feature (RFC 7946); `properties` is everything known of it, as a JSON object. */
function featureOf(
  id: string,
  at: { readonly lat: number; readonly lng: number } | null,
  properties: string,
): string {
  const geometry = at && { type: 'Point', coordinates: [at.lng, at.lat] };
  return `{"type":"Feature","id":${JSON.stringify(id)},"geometry":${JSON.stringify(geometry)},"properties":${properties}}`;
}

/** Places as one GeoJSON document, with the members of `rest`. */
export function placesBody(
  places: readonly { readonly geohash: string; readonly lat: number; readonly lng: number }[],
  rest: object,
): string {
  const features = places.map((place) => featureOf(place.geohash, place, JSON.stringify(place)));
  return `${HEADS.geojson}${features.join()}${tailOf(rest)}`;
}
