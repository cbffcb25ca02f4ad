// Formats of search results: which one a request gets, what does not fit it, and how listings are written in it.

import type { Reply } from '../../http/output/reply.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { MEMBERS_BY_INCLUDE } from '../../listings/record.ts';
import { FORMATS, type Format } from '../query/answer-parameters.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { SearchHit } from '../summaries/search-reads.ts';
import { columnsFor, headerLine, rowLine } from './csv.ts';
import { type Presentation, presentRows, type ResultRow } from './rows.ts';

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
