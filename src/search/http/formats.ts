// Formats of search results: JSON, GeoJSON, CSV and JSON lines, as pages and as exports.

import { readCursor } from '../../http/input/cursor.ts';
import type { Reply } from '../../http/output/reply.ts';
import { invalidParameter, Problem } from '../../lib/problem.ts';
import { findIncluded, type Included } from '../../listings/included.ts';
import { presentListing, type ReaderView } from '../../listings/presenter.ts';
import { type Listing, MEMBERS_BY_INCLUDE } from '../../listings/record.ts';
import { selectFields } from '../../listings/sparse-fields.ts';
import type { Database } from '../../postgres/client/database.ts';
import { FORMATS, type Format, type SearchQuery } from '../query/parameters.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { valueKindOf } from '../query/sort.ts';
import type { SearchHit } from '../summaries/search-reads.ts';
import { columnsFor, headerLine, rowLine } from './csv.ts';
import { cursorAfter, type Search } from './pagination.ts';

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  geojson: 'application/geo+json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** `format` wins over what Accept asks for. Throws INVALID_PARAMETER for what rows have no place for. */
export function formatOf(query: SearchQuery, mediaType: string): Format {
  const accepted = FORMATS.find((format) => MEDIA_TYPES[format] === mediaType) ?? 'json';
  const format = query.format ?? accepted;
  if (format === 'json' || format === 'geojson') return format;
  for (const name of ['facets', 'stats', 'cluster', 'explain'] as const)
    if (query[name] !== undefined) throw invalidParameter(name, `cannot be returned as ${format}`);
  const nested = format === 'csv' ? query.include?.find((part) => !(part in MEMBERS_BY_INCLUDE)) : undefined;
  if (nested !== undefined) throw invalidParameter('include', `${nested} cannot be returned as csv`);
  return format;
}

/** The media type as it is sent. */
export const contentType = (format: Format): string =>
  format === 'csv' ? 'text/csv; charset=utf-8; header=present' : `${MEDIA_TYPES[format]}; charset=utf-8`;

/** What stands before the first row. */
export const headOf = (
  format: 'csv' | 'ndjson',
  { plan, included }: Pick<Presentation, 'plan' | 'included'>,
): string => (format === 'csv' ? headerLine(columnsFor(plan.fields, included)) : '');

/** A page as lines; each ends with its cursor. */
export async function linesOf(
  format: 'csv' | 'ndjson',
  presentation: Presentation,
  page: readonly SearchHit[],
): Promise<string> {
  const { plan, included } = presentation;
  const rows = await presentRows(presentation, page);
  if (format === 'ndjson')
    return rows.map(({ record, cursor }) => `${JSON.stringify({ ...record, cursor })}\n`).join('');
  const columns = columnsFor(plan.fields, included);
  return rows.map(({ record, cursor }) => rowLine(columns, record, cursor)).join('');
}

/** Records that are written as JSON in one go: so many take some milliseconds. */
const MAX_AT_ONCE = 100;

/** A page as one JSON document: its listings, and what goes with them. A long one is written in chunks. */
export function listReply(rows: readonly ResultRow[], rest: object): Pick<Reply, 'json' | 'chunks'> {
  const data = rows.map(({ record }) => record);
  if (data.length <= MAX_AT_ONCE) return { json: { object: 'list', data, ...rest } };
  return { chunks: listChunks(data, rest) };
}

async function* listChunks(data: readonly object[], rest: object): AsyncGenerator<string, void, void> {
  yield '{"object":"list","data":[';
  for (let from = 0; from < data.length; from += MAX_AT_ONCE) {
    const chunk = data.slice(from, from + MAX_AT_ONCE).map((record) => JSON.stringify(record));
    yield `${from === 0 ? '' : ','}${chunk.join()}`;
  }
  const members = Object.entries(rest).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`);
  yield `]${members.join('')}}`;
}

interface Located {
  readonly lat: number;
  readonly lng: number;
}

/** A point on the map with everything that is known of it (RFC 7946). */
export function featureOf(
  id: unknown,
  at: Located | null,
  properties: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const geometry = at && { type: 'Point', coordinates: [at.lng, at.lat] };
  return { type: 'Feature', id, geometry, properties };
}

/** What of the listings is presented, and to whom. */
export interface Presentation {
  readonly database: Database;
  readonly plan: SearchPlan;
  readonly view: ReaderView;
  readonly included: readonly Included[];
}

/** A listing as this reader sees it, with the fields and parts that were requested. */
export interface ResultRow {
  readonly record: Readonly<Record<string, unknown>>;
  readonly location: Listing['location'];
  /** Goes on behind it. */
  readonly cursor: string;
}

/** The listings of a page that this reader may see. */
export async function presentRows(
  { database, plan, view, included }: Presentation,
  page: readonly SearchHit[],
): Promise<ResultRow[]> {
  const stored = page.map(({ listing }) => listing);
  const additions = included.length === 0 ? null : await findIncluded(database, stored, included, view);
  return page.flatMap((found) => {
    const listing = presentListing(found.listing, view);
    if (listing === null) return [];
    const record = { ...selectFields(listing, plan.fields), ...additions?.get(listing.id) };
    return { record, location: listing.location, cursor: cursorAfter(plan, found) };
  });
}

/** Rows that are read, and held, at once. */
const BATCH = 100;

/** What an export is made of. */
export interface Export extends Presentation {
  readonly search: Search;
  readonly resolved: ResolvedQuery;
  readonly format: 'csv' | 'ndjson';
}

/** A piece for each batch, read when it is asked for; a walk like any other, so what does not change is met once. */
export async function* exportLines({
  search,
  resolved,
  format,
  ...presentation
}: Export): AsyncGenerator<string> {
  const { plan } = presentation;
  let { cursor } = plan;
  let head = headOf(format, presentation);
  for (;;) {
    const batch = { ...plan, cursor, limit: BATCH, count: 'none' as const };
    const { hits, page } = await search.page(batch, resolved);
    const chunk = head + (await linesOf(format, presentation, hits));
    head = '';
    if (chunk !== '') yield chunk;
    if (page.nextCursor === null) return;
    cursor = readCursor(page.nextCursor, plan.digest, plan.order.map(valueKindOf));
  }
}

/** An export runs one way. Throws INVALID_CURSOR for a cursor that leads back. */
export function refuseBackwards({ cursor }: SearchPlan): void {
  if (cursor?.direction !== 'previous') return;
  const detail = 'it leads to the previous page, and an export only goes forward';
  throw new Problem('INVALID_CURSOR', `cursor: ${detail}.`, { errors: [{ parameter: 'cursor', detail }] });
}
