// The service's database driver with the same settings, which can record the statements it sends.

import postgres from 'postgres';
import { NO_MEMOIZE, PLANNING, type Planning } from '../../src/postgres/client/connection.ts';
import { parseDatabaseUrl } from '../../src/postgres/client/connection-url.ts';
import { formatArray, VALUE_TYPES } from '../../src/postgres/client/value-types.ts';

/** A statement with its parameters as PostgreSQL's text; null is null. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
  /** Whether PostgreSQL plans it for the values of each run. */
  readonly planned?: Planning;
}

/** The service's own settings of a session in which statements are planned so. */
export const sessionFor = (planned: Planning = 'each') => ({
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  ...NO_MEMOIZE,
  ...PLANNING[planned],
});

export interface DriverOptions {
  readonly planned?: Planning | undefined;
  /** Called with every statement that is sent. */
  readonly tell?: (statement: Statement) => void;
}

/** So many connections. */
export function openDriver(url: string, connections: number, { planned, tell }: DriverOptions = {}) {
  const { host, port, database, user, password = '' } = parseDatabaseUrl(url);
  return postgres({
    password,
    host,
    port,
    database,
    user,
    max: connections,
    fetch_types: false,
    types: VALUE_TYPES,
    connection: sessionFor(planned),
    ...(tell && {
      debug: (_connection: number, text: string, parameters: unknown[]) =>
        tell({ text, parameters: parameters.map(asText) }),
    }),
  });
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return formatArray(value, String);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return String(value);
}
