// Checks of `freehold doctor`: machine, source, tiers file. None of them throws.

import { constants } from 'node:fs';
import { access, realpath, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { looserAnonymousLimits, readTiersFile } from '../../access/tiers/tiers-file.ts';
import { type Config, isUnencrypted } from '../../config.ts';
import { openBasemap } from '../../explore/basemap/archive.ts';
import { ListenError, requireFreePort } from '../../http/server/listen-address.ts';
import { readIfExists, statIfExists } from '../../lib/files.ts';
import type { FeedFault } from '../../sources/source.ts';
import { findMount, isInMemory, isNetworkFilesystem } from '../mount.ts';
import { askRunningService } from '../running-service.ts';

export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; null when nothing is to be done. */
  readonly remedy: string | null;
}

export function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, remedy: null };
}

export function fail(name: string, detail: string, remedy: string): Finding {
  return { name, state: 'fail', detail, remedy };
}

export function warn(name: string, detail: string, remedy: string): Finding {
  return { name, state: 'warn', detail, remedy };
}

/** The message of an error, with that of its cause. */
export function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

export function checkPublicUrl(config: Config): Finding[] {
  if (!isUnencrypted(config)) return [];
  const detail = 'plain http: keys and tokens cross the network unencrypted';
  return [warn('public URL', detail, 'Use https beyond a trial in a private network.')];
}

export async function checkTiersFile({ tiersFile }: Config): Promise<Finding[]> {
  if (tiersFile === null) return [];
  try {
    const looser = looserAnonymousLimits(await readTiersFile(tiersFile));
    if (looser.length === 0) return [ok('tiers file', tiersFile)];
    const detail = `${tiersFile}: callers without credentials get ${looser.join(', ')}`;
    return [
      warn('tiers file', detail, 'Anybody may use that much: lower `anonymous` there unless you mean it.'),
    ];
  } catch (error) {
    return [fail('tiers file', messageOf(error), 'Correct the file, or set TIERS_FILE.')];
  }
}

export async function checkBasemap({ explorer }: Config): Promise<Finding[]> {
  const { basemapFile } = explorer;
  if (basemapFile === null) return [];
  try {
    const basemap = await openBasemap(basemapFile);
    await basemap.close();
    if (basemap.facts.credits.length > 0) return [ok('base map', basemapFile)];
    const detail = `${basemapFile} names nobody whose map it is`;
    return [warn('base map', detail, 'Write its attribution into the archive: docs/basemap.md says how.')];
  } catch (error) {
    return [fail('base map', messageOf(error), 'Correct the file, or set BASEMAP_FILE.')];
  }
}

/** What to do about faults that do not end by themselves. */
export const FAULT_REMEDIES: Readonly<Record<FeedFault, string>> = {
  wrong_token_url: 'Correct RESO_TOKEN_URL.',
  refused_query: 'Check RESO_BASE_URL: below it, /Property must list records.',
  foreign_link: 'Set RESO_BASE_URL to the address that the links of the feed have.',
  cyclic_links: 'Report it to the operator of the feed: its pages never end.',
  shifting_pages: 'Report it to the operator of the feed: its pages change while they are read.',
  missing_keys: 'Check that the credentials may read ListingKey or ListingKeyNumeric.',
  incomplete_load:
    'Report it to the operator of the feed: it counts more records than it sends. All are read again.',
  suspicious_keys:
    'Check what the credentials may read: the list of keys lacks many stored listings, and none was deleted.',
};

/** Free bytes below which the check fails, and below which it warns. */
const MIN_FREE = 200e6;

const LOW_FREE = 2e9;

const MIN_NODE = 26;

export function checkNode(version = process.versions.node): Finding {
  if (Number.parseInt(version, 10) >= MIN_NODE) return ok('node', version);
  return fail('node', version, `Freehold needs Node ${MIN_NODE}: run \`npm ci\`, which installs it.`);
}

/** The folder exists and is writable, and no other user can read its keys. */
export async function checkDataDirectory({ dataDirectory }: Config): Promise<Finding[]> {
  const name = 'data directory';
  const found = await findFile(dataDirectory);
  if (found === undefined) {
    const parent = await existingParent(dataDirectory);
    return (await isOpen(parent))
      ? [warn(name, `${dataDirectory} does not exist yet`, 'The first `freehold serve` creates it.')]
      : [fail(name, `${dataDirectory} cannot be created`, 'Create it for this user, or set DATA_DIR.')];
  }
  if (!found.isDirectory())
    return [fail(name, `${dataDirectory} is not a folder`, 'Set DATA_DIR to a folder.')];
  if (!(await isOpen(dataDirectory))) {
    return [
      fail(name, `${dataDirectory} is not writable for this user`, 'Make it writable, or set DATA_DIR.'),
    ];
  }
  const open = (found.mode & 0o022) !== 0;
  const directory = open
    ? warn(name, `${dataDirectory} can be written by others`, `chmod go-w ${dataDirectory}`)
    : ok(name, dataDirectory);
  return [directory, ...(await checkKeysFile(join(dataDirectory, 'keys.env')))];
}

async function checkKeysFile(file: string): Promise<Finding[]> {
  const found = await findFile(file);
  if (found === undefined) return [];
  if ((found.mode & 0o077) === 0) return [ok('keys file', file)];
  return [fail('keys file', `${file} can be read by others`, `chmod 600 ${file}`)];
}

export async function checkDisk({ dataDirectory }: Config): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(await existingParent(dataDirectory));
    const room = bavail * bsize;
    const detail = `${(room / 1e9).toFixed(1)} GB free`;
    if (room < MIN_FREE)
      return fail('disk', detail, 'PostgreSQL stops when the disk is full: free some space.');
    return room < LOW_FREE ? warn('disk', detail, 'Free some space before it fills.') : ok('disk', detail);
  } catch (error) {
    return warn('disk', messageOf(error), 'Check that the folder of DATA_DIR is mounted.');
  }
}

/** The filesystem under the data directory, on Linux. */
export async function checkMount({ dataDirectory, databaseUrl }: Config): Promise<Finding[]> {
  const mountinfo = (await readIfExists('/proc/self/mountinfo')) ?? '';
  const mount = findMount(mountinfo, await realpath(await existingParent(dataDirectory)));
  if (mount === undefined) return [];
  const { type, readOnly } = mount;
  if (readOnly) return [fail('mount', `${type}, read-only`, 'Mount it writable, or set DATA_DIR.')];
  if (databaseUrl === null && isNetworkFilesystem(mount)) {
    const remedy = 'PostgreSQL needs a local disk: set DATA_DIR to one, or DATABASE_URL to a server.';
    return [warn('mount', `${type}, a network filesystem`, remedy)];
  }
  if (isInMemory(mount))
    return [warn('mount', `${type}, in memory`, 'All data is lost with it: set DATA_DIR to a disk.')];
  return [ok('mount', type)];
}

/** The port is free, or a Freehold answers on it already. */
export async function checkPort({ host, port }: Config): Promise<Finding> {
  if (port === 0) return ok('port', 'any that is free');
  try {
    await requireFreePort(host, port);
    return ok('port', `${port} on ${host} is free`);
  } catch (error) {
    if (!(error instanceof ListenError)) return fail('port', messageOf(error), 'Set PORT.');
    if (error.code === 'EADDRINUSE' && (await askRunningService({ host, port }, '/livez'))?.status === 200)
      return ok('port', `${port} on ${host} is in use by a running Freehold`);
    return fail('port', error.message, 'Set PORT or HOST, or stop the program that listens there.');
  }
}

function isOpen(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Undefined also in a folder that this user cannot enter. */
const findFile = (path: string) =>
  statIfExists(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
  });

/** The folder itself, or the nearest above it that is there. */
async function existingParent(folder: string): Promise<string> {
  const found = await findFile(folder);
  return found !== undefined || dirname(folder) === folder ? folder : existingParent(dirname(folder));
}
