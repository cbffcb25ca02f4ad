// Pages of a search: hits, the cursors around them, the total, and the body as JSON or GeoJSON.

import type { CallUsage } from '../../http/frame/call-usage.ts';
import { writeCursor } from '../../http/input/cursor.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import { findIncluded, type Included } from '../../listings/included.ts';
import type { ReaderView } from '../../listings/presenter.ts';
import { findConfirmations } from '../../listings/provenance/confirmation-store.ts';
import type { StoredListing } from '../../listings/store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { areIdsDescending, type ResolvedSearch, type SearchPlan } from '../query/plan.ts';
import type { FindKnown, KnownListing, SearchBackend, SearchHit } from '../query/search-backend.ts';
import { exactTotal, type FoundTotal, findTotal, NO_TOTAL } from '../summaries/total.ts';
import { EncodedListing, type RecordView } from './record-cache.ts';

export interface Page {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

export interface SearchPage<Known extends KnownListing = never> {
  readonly hits: readonly SearchHit<Known>[];
  readonly page: Page;
  readonly counted: FoundTotal;
}

/** A search with what answers it. */
export interface PageRequest extends ResolvedSearch {
  readonly session: SearchBackend;
  readonly clock: Clock;
}

/** One page with its total, which is counted while the page is read; `known` may spare reading some records. */
export async function readPage<Known extends KnownListing = never>(
  search: PageRequest,
  known?: FindKnown<Known>,
): Promise<SearchPage<Known>> {
  const { plan, session, clock } = search;
  const asks = plan.count !== 'none';
  const count = () => findTotal(session, clock, search);
  const counting = asks && !session.countsAlong?.(search) ? count() : null;
  // The page may fail first, or need no count.
  counting?.catch(() => {});
  const { hits, more, total } = await session.page(search, known);
  const page = { limit: plan.limit, ...cursorsOf(plan, hits, more) };
  if (!asks) return { hits, page, counted: NO_TOTAL };
  if (plan.cursor === null && !more) return { hits, page, counted: exactTotal(hits.length) };
  // An engine that went out of use meanwhile leaves a page without the total that it was to bring.
  const counted = total === null ? await (counting ?? count()) : exactTotal(total);
  return { hits, page, counted: atLeast(counted, hits.length + (more ? 1 : 0)) };
}

/** A page that was read a moment later may prove that there are more by now. */
const atLeast = (counted: FoundTotal, known: number): FoundTotal =>
  counted.total ? exactTotal(Math.max(counted.total.value, known)) : counted;

/** The cursor that continues after a row. */
export function cursorAfter(
  { digest: query, startedAt, currency }: SearchPlan,
  hit: SearchHit<KnownListing>,
): string {
  const { id } = hit.listing;
  return writeCursor({ query, direction: 'next', startedAt, values: hit.values(), id, currency });
}

/** These sort before and after every id. */
const [BEFORE_IDS, AFTER_IDS] = ['', '~'];

/**
 * Cursors before the first and after the last row. A page reached by a cursor always has a page on the side that it came
 * from; if its own rows are gone meanwhile, the cursors continue from the cursor that led here.
 */
function cursorsOf(plan: SearchPlan, hits: readonly SearchHit<KnownListing>[], more: boolean) {
  const { cursor: current, digest: query, startedAt, currency } = plan;
  const backwards = current?.direction === 'previous';
  const hasMore = backwards || more;
  const hasBefore = backwards ? more : current !== null;
  const cursor = (
    row: SearchHit<KnownListing> | undefined,
    direction: 'next' | 'previous',
  ): string | null => {
    const isFirst = (direction === 'next') !== areIdsDescending(plan.order);
    const id = row?.listing.id ?? (isFirst ? BEFORE_IDS : AFTER_IDS);
    const values = row?.values() ?? current?.values;
    return values ? writeCursor({ query, direction, startedAt, values, id, currency }) : null;
  };
  return {
    hasMore,
    nextCursor: hasMore ? cursor(hits.at(-1), 'next') : null,
    prevCursor: hasBefore ? cursor(hits[0], 'previous') : null,
  };
}

/** How listings are shown, and to whom. */
export interface RowOptions {
  readonly database: Database;
  readonly plan: SearchPlan;
  readonly reader: ReaderView;
  readonly included: readonly Included[];
  readonly usage: CallUsage;
  /** Whether CSV has a column of cursors. */
  readonly hasCursors: boolean;
}

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
  { reader, records, usage }: PageOptions,
  listings: readonly (StoredListing | EncodedListing)[],
  additions: Additions | null,
): AsyncGenerator<string, void, void> {
  const task = eventLoop.task();
  for (const listing of listings) {
    if (!(listing instanceof EncodedListing) && task.shouldYield()) await task.yield();
    const record = records.encode(listing);
    if (record === null) continue;
    usage.shows(record.source);
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
