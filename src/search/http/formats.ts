// Formats of search results, and those of one listing a line: CSV and JSON lines, as pages and as exports.

import type { Reach } from '../../access/tiers/reach.ts';
import { atLeast, type Principal, type TierPlan, tierName } from '../../access/tiers/tiers.ts';
import { readCursor } from '../../http/input/cursor.ts';
import { invalidParameter, Problem } from '../../lib/problem.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import { findIncluded } from '../../listings/included.ts';
import { presentListing } from '../../listings/presenter.ts';
import { MEMBERS_BY_INCLUDE } from '../../listings/record.ts';
import { selectFields } from '../../listings/sparse-fields.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import { FORMATS, type Format, type SearchQuery } from '../query/parameters.ts';
import { type AnswerContext, type SearchPlan, valueKindOf } from '../query/plan.ts';
import { type SearchHit, type SearchSessions, withSession } from '../query/search-backend.ts';
import { columnsFor, headerLine, rowLine } from './csv.ts';
import { cursorAfter, type PageRequest, type RowOptions, readPage } from './pagination.ts';

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  geojson: 'application/geo+json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** Formats of one listing a line. */
export type LineFormat = Extract<Format, 'csv' | 'ndjson'>;

export const isLineFormat = (format: Format): format is LineFormat => format === 'csv' || format === 'ndjson';

/** `format` takes precedence over Accept. Throws INVALID_PARAMETER for what lines cannot hold. */
export function formatOf(query: SearchQuery, mediaType: string): Format {
  const accepted = FORMATS.find((format) => MEDIA_TYPES[format] === mediaType) ?? 'json';
  const format = query.format ?? accepted;
  if (!isLineFormat(format)) {
    if (query.include?.includes('cursor') === true)
      throw invalidParameter('include', `cursor is a column of csv; ${format} has page.nextCursor`);
    return format;
  }
  for (const name of ['facets', 'stats', 'cluster', 'explain'] as const)
    if (query[name] !== undefined) throw invalidParameter(name, `cannot be returned as ${format}`);
  const nested =
    format === 'csv'
      ? query.include?.find((part) => part !== 'cursor' && !(part in MEMBERS_BY_INCLUDE))
      : undefined;
  if (nested !== undefined) throw invalidParameter('include', `${nested} cannot be returned as csv`);
  return format;
}

/** The `content-type` header. */
export const contentType = (format: Format): string =>
  format === 'csv' ? 'text/csv; charset=utf-8; header=present' : `${MEDIA_TYPES[format]}; charset=utf-8`;

/** The header that names the file to save a download as. */
export const fileName = (format: LineFormat, type: ListingType): Record<string, string> => ({
  'content-disposition': `attachment; filename="${type}s.${format}"`,
});

/** The lowest tier that gets all results in one response. */
export const EXPORT_TIER = 'business';

/**
 * Throws INVALID_PARAMETER for a limit above a page where the response cannot say that it was capped: a table that was
 * cut short looks whole.
 */
export function refuseLargeLimit(
  format: Format,
  { tier }: Principal,
  { page }: TierPlan,
  limit?: number,
): void {
  if (format === 'json' || limit === undefined || limit <= page) return;
  const isExporter = atLeast(tier, EXPORT_TIER);
  const all = isLineFormat(format) ? format : 'csv or ndjson';
  const remedy = isExporter
    ? `leave it out to receive all results in one response as ${all}`
    : `the tiers Business and Internal receive all results in one response as ${all}`;
  const who = tier === 'anonymous' ? 'without credentials' : `on the ${tierName(tier)} tier`;
  throw invalidParameter(
    'limit',
    `must be at most ${page} for ${format} ${who}. Follow the header Link to page, or ${remedy}`,
  );
}

/** A listing as this reader sees it, with the requested fields and parts. */
interface ResultRow {
  readonly record: Readonly<Record<string, unknown>>;
  /** Continues after this listing. */
  readonly cursor: string;
}

/** The listings that this reader may see. */
async function* presentRows(
  { database, plan, reader, included, usage }: RowOptions,
  hits: readonly SearchHit[],
): AsyncGenerator<ResultRow, void, void> {
  const stored = hits.map(({ listing }) => listing);
  const additions = included.length === 0 ? null : await findIncluded(database, stored, included, reader);
  const task = eventLoop.task();
  for (const hit of hits) {
    if (task.shouldYield()) await task.yield();
    const listing = presentListing(hit.listing, reader);
    if (listing === null) continue;
    usage.shows(hit.listing.source);
    const record = { ...selectFields(listing, plan.fields), ...additions?.get(listing.id) };
    yield { record, cursor: cursorAfter(plan, hit) };
  }
}

/** The header line of CSV; empty for JSON lines. */
export const headOf = (format: LineFormat, { plan, included, hasCursors }: RowOptions): string =>
  format === 'csv' ? headerLine(columnsFor(plan.fields, included), hasCursors) : '';

/** Listings as lines; a line of JSON ends with its cursor. */
export async function linesOf(
  format: LineFormat,
  options: RowOptions,
  hits: readonly SearchHit[],
): Promise<string> {
  const columns = format === 'csv' ? columnsFor(options.plan.fields, options.included) : null;
  let lines = '';
  for await (const { record, cursor } of presentRows(options, hits))
    lines +=
      columns === null
        ? `${JSON.stringify({ ...record, cursor })}\n`
        : rowLine(columns, record, options.hasCursors ? cursor : null);
  return lines;
}

/** Rows that an export reads at once. */
const BATCH = 100;

export interface ExportOptions extends RowOptions, Omit<PageRequest, 'session' | 'context'> {
  readonly sessions: SearchSessions;
  /** Of the whole answer. */
  readonly context: AnswerContext;
}

/** All results as lines, one chunk for each batch, as fast as the client takes them. */
export async function* exportLines(format: LineFormat, options: ExportOptions): AsyncGenerator<string> {
  const { plan, sessions, context } = options;
  let { cursor } = plan;
  let head = headOf(format, options);
  let isFirst = true;
  for (;;) {
    const search = {
      ...options,
      plan: { ...plan, cursor, limit: BATCH, count: 'none' as const },
      isWhole: isFirst,
    };
    // A session for each batch: a slow client keeps no state of the listings in memory.
    const batch = { ...context, fresh: isFirst && context.fresh, isContinued: !isFirst };
    const { hits, page } = await withSession(sessions, batch, (session) => readPage({ ...search, session }));
    isFirst = false;
    const chunk = head + (await linesOf(format, options, hits));
    head = '';
    if (chunk !== '') yield chunk;
    if (page.nextCursor === null) return;
    cursor = readCursor(page.nextCursor, plan.digest, plan.order.map(valueKindOf));
  }
}

/** Throws INVALID_CURSOR for a cursor that leads back: an export only goes forward. */
export function refuseBackwards({ cursor }: SearchPlan): void {
  if (cursor?.direction !== 'previous') return;
  const detail = 'it leads to the previous page, and an export only goes forward';
  throw new Problem('INVALID_CURSOR', `cursor: ${detail}.`, { errors: [{ parameter: 'cursor', detail }] });
}

/** What is open to a caller in this format: lines are made to be kept. */
export const reachOf = ({ reach }: Pick<Principal, 'reach'>, format: Format): Reach =>
  isLineFormat(format) ? reach.exported : reach;
