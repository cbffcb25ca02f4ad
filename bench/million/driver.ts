// Owns the service's own driver as arms use it: opened with the same settings, telling what it sends where that is wanted.

import postgres from 'postgres';
import { ARRAY_TYPES, writeArray } from '../../src/postgres/array-types.ts';
import { COLUMN_TYPES } from '../../src/postgres/column-types.ts';
import { parseDatabaseUrl } from '../../src/postgres/connection-url.ts';

/** A statement with its parameters as PostgreSQL's text; null is null. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
}

export const SESSION = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  plan_cache_mode: 'force_custom_plan',
} as const;

export interface DriverOptions {
  /** Called with every statement that is sent. */
  readonly tell?: (statement: Statement) => void;
  /** JSON stays the text that it comes as, for whoever only prints it. */
  readonly json?: 'as text';
}

const JSON_AS_TEXT = { json: { to: 114, from: [114], serialize: String, parse: String } };

/** So many connections. */
export function openDriver(url: string, connections: number, { tell, json }: DriverOptions = {}) {
  const { host, port, database, user } = parseDatabaseUrl(url);
  return postgres({
    ...{ host, port, database, user, max: connections, fetch_types: false },
    types: { ...COLUMN_TYPES, ...ARRAY_TYPES, ...(json && JSON_AS_TEXT) },
    connection: SESSION,
    ...(tell && {
      debug: (_connection: number, text: string, parameters: unknown[]) =>
        tell({ text, parameters: parameters.map(asText) }),
    }),
  });
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return writeArray(value, String);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return String(value);
}
