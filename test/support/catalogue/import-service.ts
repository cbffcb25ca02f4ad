// Small imports for tests: a database of their own, files and maps to bring into it, and what came of them.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/postgres/client/database.ts';
import { type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import { type CliEnd, runCommand } from '../process/cli.ts';
import { FIELDS } from './imports.ts';

export const EXAMPLES = join(import.meta.dirname, '../../../docs/examples');

export interface Bench {
  readonly database: Database;
  run(...args: string[]): Promise<CliEnd>;
  /** Runs with --json and gives what it printed. */
  outcome(...args: string[]): Promise<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
}

/** What the imports of one test file share. */
export interface Imports {
  /** Where files and maps are, and commands run. */
  readonly folder: string;
  /** A database of its own, and imports into it. */
  bench(t: Closing, environment?: Readonly<Record<string, string>>): Promise<Bench>;
  /** Writes a file into the folder, and gives its path. */
  file(name: string, content: string | Buffer): Promise<string>;
  /** Writes a map for listings of `rows`, with more members and with other fields. */
  mapFile(name: string, more?: object, change?: object): Promise<string>;
}

const fields = {
  ...FIELDS,
  'location.lat': { column: 'lat' },
  'location.lng': { column: 'lng' },
};

/** A folder of its own, which is removed at the end. */
export async function openImports(t: Closing): Promise<Imports> {
  const folder = await temporaryFolder(t, 'import');
  const file: Imports['file'] = async (name, content) => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  return {
    folder,
    file,
    bench: (closing, environment) => openBench(closing, folder, environment),
    mapFile: (name, more = {}, change = {}) =>
      file(
        name,
        JSON.stringify({
          kind: 'listings',
          source: { id: 'small', name: 'Small' },
          fields: { ...fields, ...change },
          ...more,
        }),
      ),
  };
}

async function openBench(
  t: Closing,
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Bench> {
  const { database, url } = await testDatabase(t);
  const environment = { DATABASE_URL: url, ...more };
  const run: Bench['run'] = (...args) => runCommand(['import', ...args], { folder, environment });
  return {
    database,
    environment,
    run,
    async outcome(...args) {
      const { stdout, stderr } = await run(...args, '--json');
      assert.notEqual(stdout, '', stderr);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
  };
}

export const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `k${from + at},${1000 + from + at},40,-90`).join('\n');

/** Everything that an import may write, in an order of its own; times and versions are left to other questions. */
export async function contents(database: Database): Promise<unknown> {
  return database.read(
    (sql) => sql`
      select l.id, l.record, l.area_nos, s.price, (select count(*)::int from listing_event e where e.listing_id = l.id) as events
      from listing l join listing_search s using (id) order by l.id`,
  );
}

/** Row versions of all that imports write: a row that was written again, even with the same content, has another. */
export async function rowVersions(database: Database): Promise<unknown> {
  return database.read(
    (sql) => sql`
      select 'l' || id as id, xmin::text from listing union all select 's' || id, xmin::text from listing_search
      union all select 'p' || id, xmin::text from property union all select 'e' || sequence, xmin::text from listing_event
      union all select 'a' || id, xmin::text from area order by 1`,
  );
}
