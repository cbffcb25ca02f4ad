// Owns what `freehold doctor` looks at: each check gives one finding and never throws.

import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { createOutbound } from '../lib/outbound.ts';
import { PLACE_NOTE } from '../postgres/cluster-place.ts';
import { pendingMigrations } from '../postgres/migrate.ts';
import { resoSource } from '../sources/reso/client.ts';
import { type OpenedDatabase, openCommandDatabase } from './database.ts';
import { countCatalogue } from './doctor-store.ts';
import { count } from './output.ts';

export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; null when nothing is to be done. */
  readonly remedy: string | null;
}

const ok = (name: string, detail: string): Finding => ({ name, state: 'ok', detail, remedy: null });
const warn = (name: string, detail: string, remedy: string): Finding => ({
  name,
  state: 'warn',
  detail,
  remedy,
});
const fail = (name: string, detail: string, remedy: string): Finding => ({
  name,
  state: 'fail',
  detail,
  remedy,
});

/** Bytes that must be free, and that had better be. */
const LEAST_ROOM = 200e6;
const GOOD_ROOM = 2e9;
const OLDEST_NODE = 26;

export function checkNode(version = process.versions.node): Finding {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return ok('node', version);
  return fail('node', version, `Freehold needs Node ${OLDEST_NODE}: run \`npm ci\`, which brings one along.`);
}

/** The folder is there, is ours to write, and its keys are nobody else's to read. */
export async function checkDataDirectory({ dataDirectory }: Config): Promise<Finding[]> {
  const name = 'data directory';
  const found = await stat(dataDirectory).catch(() => undefined);
  if (found === undefined) {
    const parent = await access(dirname(dataDirectory), constants.W_OK).catch(() => 'closed');
    return parent === 'closed'
      ? [fail(name, `${dataDirectory} cannot be created`, 'Create it for this user, or set DATA_DIR.')]
      : [warn(name, `${dataDirectory} is not there yet`, 'The first `freehold serve` creates it.')];
  }
  if (!found.isDirectory()) return [fail(name, `${dataDirectory} is no folder`, 'Set DATA_DIR to a folder.')];
  const writable = await access(dataDirectory, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable) return [fail(name, `${dataDirectory} is closed to this user`, `chown it, or set DATA_DIR.`)];
  const open = (found.mode & 0o022) !== 0;
  const directory = open
    ? warn(name, `${dataDirectory} can be written by others`, `chmod go-w ${dataDirectory}`)
    : ok(name, dataDirectory);
  return [directory, ...(await checkKeysFile(join(dataDirectory, 'keys.env')))];
}

async function checkKeysFile(file: string): Promise<Finding[]> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return [];
  if ((found.mode & 0o077) === 0) return [ok('keys file', file)];
  return [fail('keys file', `${file} can be read by others`, `chmod 600 ${file}`)];
}

export async function checkDisk({ dataDirectory }: Config): Promise<Finding> {
  const place = (await stat(dataDirectory).catch(() => undefined)) ? dataDirectory : dirname(dataDirectory);
  try {
    const { bavail, bsize } = await statfs(place);
    const room = bavail * bsize;
    const detail = `${(room / 1e9).toFixed(1)} GB free`;
    if (room < LEAST_ROOM) return fail('disk', detail, 'PostgreSQL stops when the disk is full: make room.');
    return room < GOOD_ROOM ? warn('disk', detail, 'Make room before it fills.') : ok('disk', detail);
  } catch (error) {
    return warn('disk', messageOf(error), 'Look whether the folder of DATA_DIR is mounted.');
  }
}

/** Reaches the database, if there is one yet, and looks at what it holds. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl === null && !(await hasCluster(config.dataDirectory))) {
    return [warn('database', 'there is none yet', 'The first `freehold serve` creates it.')];
  }
  let opened: OpenedDatabase | undefined;
  try {
    opened = await openCommandDatabase(config);
    const version = await opened.database.serverVersion();
    const served = config.databaseUrl === null ? (opened.own ? ', at rest' : ', in use') : '';
    const database = ok('database', `PostgreSQL ${version}, ${opened.place}${served}`);
    return [database, ...(await checkContents(opened))];
  } catch (error) {
    const remedy =
      config.databaseUrl === null ? 'Look into server.log beside the database.' : 'Check DATABASE_URL.';
    return [fail('database', messageOf(error), remedy)];
  } finally {
    await opened?.close();
  }
}

async function hasCluster(dataDirectory: string): Promise<boolean> {
  const signs = [join(dataDirectory, 'postgres', 'cluster'), join(dataDirectory, PLACE_NOTE)];
  const found = await Promise.all(signs.map((path) => stat(path).catch(() => undefined)));
  return found.some((entry) => entry !== undefined);
}

async function checkContents({ database }: OpenedDatabase): Promise<Finding[]> {
  const pending = await pendingMigrations(database);
  if (pending.length > 0) {
    return [warn('migrations', `${pending.length} to run: ${pending.join(', ')}`, 'freehold migrate')];
  }
  const { listings, active, areas, unfinished } = await database.read(countCatalogue);
  const found = `${count(listings)} listings (${count(active)} active), ${count(areas)} areas`;
  const catalogue =
    listings === 0
      ? warn('catalogue', found, '`freehold import --help`, or set SOURCE.')
      : ok('catalogue', found);
  const imports =
    unfinished === 0
      ? []
      : [warn('imports', `${unfinished} stopped half-way`, 'Run the same command again.')];
  return [ok('migrations', 'up to date'), catalogue, ...imports];
}

export async function checkSource({ source }: Config): Promise<Finding> {
  if (source.kind === 'none') return ok('source', 'none: listings come by import');
  if (source.kind === 'sample') return ok('source', 'the sample market, started with the service');
  const outbound = createOutbound({ clock: systemClock });
  const reso = resoSource({ id: 'reso', name: 'RESO Web API', clock: systemClock, outbound, ...source });
  try {
    await reso.check(new AbortController().signal); // It has a deadline of its own.
    return ok('source', `${source.url} answers`);
  } catch (error) {
    return fail('source', `${source.url}: ${messageOf(error)}`, 'Check RESO_BASE_URL and the credentials.');
  } finally {
    await reso.close();
  }
}

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
