// Open hours of a listing: the multirange of its search row as pairs of moments.

import type { SearchRow } from '../../listings/search-row.ts';

/** From the first to the last moment, both included; in milliseconds. */
export interface OpenHours {
  readonly start: number;
  readonly end: number;
}

/** The hours of a row, as ingest writes them or as PostgreSQL prints them. */
export function parseOpenHours({ open_houses: text }: Pick<SearchRow, 'open_houses'>): OpenHours[] {
  const ranges = text?.matchAll(/\["?([^",]+)"?,"?([^",\]]+)"?\]/g) ?? [];
  return [...ranges].map(([, start = '', end = '']) => ({ start: instant(start), end: instant(end) }));
}

/** RFC 3339, or `2026-01-05 14:00:00.5+00` as in a session in UTC. */
const instant = (text: string): number => Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z'));
