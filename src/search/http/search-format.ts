// Owns the forms of a search's answer: which one a request gets, what does not fit it, and how listings are written in it.

import { invalidParameter } from '../../lib/problem.ts';
import type { WrittenJson } from '../../listings/present-text.ts';
import { MEMBERS_BY_INCLUDE } from '../../listings/record.ts';
import { FORMATS, type Format } from '../query/answer-parameters.ts';
import type { SearchQuery } from '../query/search-parameters.ts';
import type { FoundListing } from '../summaries/finder.ts';
import { columnsFor, headerLine, rowLine } from './csv.ts';
import { cursorAfter } from './search-answer.ts';
import { type Showing, shownRows, writtenRows } from './search-rows.ts';

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
  { plan, included }: Pick<Showing, 'plan' | 'included'>,
): string => (format === 'csv' ? headerLine(columnsFor(plan.fields, included)) : '');

/** A page as lines; each ends with its cursor. */
export async function linesOf(
  format: 'csv' | 'ndjson',
  showing: Showing,
  page: readonly FoundListing[],
): Promise<string> {
  const { plan, included } = showing;
  if (format === 'csv') {
    const columns = columnsFor(plan.fields, included);
    const rows = await shownRows(showing, page);
    return rows.map(({ record, cursor }) => rowLine(columns, record, cursor)).join('');
  }
  const rows = await writtenRows(showing, page);
  return rows
    .map(({ kept, rest, found }) => `${kept}${rest.slice(0, -1)},"cursor":"${cursorAfter(plan, found)}"}\n`)
    .join('');
}

/** A page as one JSON document: its listings, and what is told besides. */
export function listOf(rows: readonly WrittenJson[], besides: object): Buffer {
  const parts: (Buffer | string)[] = ['{"object":"list","data":['];
  for (const [place, { kept, rest }] of rows.entries()) {
    if (place > 0) parts.push(',');
    parts.push(kept, rest);
  }
  parts.push(`],${JSON.stringify(besides).slice(1)}`);
  return joined(parts);
}

function joined(parts: readonly (Buffer | string)[]): Buffer {
  const size = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const whole = Buffer.allocUnsafe(size);
  let at = 0;
  for (const part of parts) at += typeof part === 'string' ? whole.write(part, at) : part.copy(whole, at);
  return whole;
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
