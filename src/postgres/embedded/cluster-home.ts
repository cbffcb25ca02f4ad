// Location of the embedded server's files: beside the service's data wherever possible, else in a system folder.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIfExists, statIfExists } from '../../lib/files.ts';

export interface ClusterHome {
  /** Holds the cluster, the server's log and, where needed, library links. */
  readonly home: string;
  readonly cluster: string;
  readonly user: ServerUser | undefined;
  /** True when the server's user cannot reach the data directory, so everything it touches stands elsewhere. */
  readonly outside: boolean;
}

/** In the data directory: names the folder that holds the database, when that is not the data directory itself. */
export const PLACE_NOTE = 'postgres-place.json';

/** A socket's address holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const SOCKET_PATH_LIMIT = process.platform === 'darwin' ? 103 : 107;
const SOCKET_NAME = '.s.PGSQL.5432';

/** Makes the data directory where there is none. */
export async function createDataDirectory(dataDirectory: string): Promise<void> {
  const created = await mkdir(dataDirectory, { recursive: true });
  // A folder of our own making lets the server's user pass through, not look around.
  if (created !== undefined) await chmod(dataDirectory, 0o711);
}

/** Where an existing data directory's cluster stands, or shall stand. Chosen once: a noted place is never left again. */
export async function clusterHome(dataDirectory: string, systemDirectory: string): Promise<ClusterHome> {
  const noted = await readNote(dataDirectory);
  if (noted !== undefined) return existingHome(dataDirectory, noted);
  const inside = await insideHome(dataDirectory);
  return inside ?? outsideHome(dataDirectory, systemDirectory);
}

/** Whether a database was made in this data directory, or for it elsewhere. */
export async function hasCluster(dataDirectory: string): Promise<boolean> {
  const signs = [join(dataDirectory, 'postgres', 'cluster'), join(dataDirectory, PLACE_NOTE)];
  const found = await Promise.all(signs.map(isThere));
  return found.includes(true);
}

/** What is closed to us is there. */
function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT' && code !== 'ENOTDIR',
  );
}

/** A folder for the socket, entered by the server's user alone, with an address short enough for the system. */
export async function socketDirectory(place: ClusterHome): Promise<string> {
  const beside = join(place.home, 'socket');
  const directory = fits(beside) ? beside : shortDirectory(place);
  await mkdir(directory, { mode: 0o700 }).then(
    () => own(directory, place.user),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  await assertPrivate(directory, place.user);
  return directory;
}

/** Whether a socket in this folder has an address that the system accepts. */
export function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, SOCKET_NAME)) <= SOCKET_PATH_LIMIT;
}

/** Makes a folder that belongs to the server's user alone. */
export async function ownDirectory(directory: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await own(directory, user);
}

async function own(directory: string, user: ServerUser | undefined): Promise<void> {
  if (user !== undefined) await chown(directory, user.uid, user.gid);
}

async function insideHome(dataDirectory: string): Promise<ClusterHome | undefined> {
  const home = join(await realpath(dataDirectory), 'postgres');
  const place = await homeAt(home, false);
  await ownDirectory(home, place.user);
  if (await canEnter(place.user, home)) return place;
  if (await isThere(place.cluster)) throw unreachable(place.cluster);
  await rm(home, { recursive: true });
  return undefined;
}

async function outsideHome(dataDirectory: string, systemDirectory: string): Promise<ClusterHome> {
  await mkdir(systemDirectory, { recursive: true, mode: 0o755 });
  const hash = shortHash(await realpath(dataDirectory));
  const home = await freshDirectory(join(systemDirectory, hash));
  const place = await homeAt(home, true);
  await own(home, place.user);
  if (!(await canEnter(place.user, home))) throw unreachable(home);
  const note = `${JSON.stringify({ home }, undefined, 2)}\n`;
  const won = await writeFile(join(dataDirectory, PLACE_NOTE), note, { flag: 'wx' }).then(
    () => true,
    () => false,
  );
  if (won) return place;
  await rm(home, { recursive: true });
  return existingHome(dataDirectory, (await readNote(dataDirectory)) ?? home);
}

/** A folder of this name may hold the database of a data directory that was deleted: it is never taken over. */
async function freshDirectory(base: string): Promise<string> {
  for (let number = 1; ; number++) {
    const directory = number === 1 ? base : `${base}-${number}`;
    const made = await mkdir(directory, { mode: 0o700 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (made) return directory;
  }
}

async function existingHome(dataDirectory: string, home: string): Promise<ClusterHome> {
  if ((await statIfExists(home)) === undefined) {
    const note = join(dataDirectory, PLACE_NOTE);
    throw new Error(
      `The database of ${dataDirectory} stood in ${home} and is not there any more. ` +
        `Restore that folder, or remove ${note} to begin with an empty database.`,
    );
  }
  return homeAt(home, true);
}

async function homeAt(home: string, outside: boolean): Promise<ClusterHome> {
  const cluster = join(home, 'cluster');
  return { home, cluster, user: await serverUser(cluster), outside };
}

async function readNote(dataDirectory: string): Promise<string | undefined> {
  const text = await readFile(join(dataDirectory, PLACE_NOTE), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  return text === undefined ? undefined : (JSON.parse(text) as { home: string }).home;
}

function shortDirectory(place: ClusterHome): string {
  const name = `freehold-${shortHash(place.home)}`;
  // A user's own temporary folder may be closed to the server's user, or long itself.
  const own = join(tmpdir(), name);
  return place.user === undefined && fits(own) ? own : join('/tmp', name);
}

/** Anyone may make folders in a temporary folder: one that somebody else prepared is refused. */
async function assertPrivate(directory: string, user: ServerUser | undefined): Promise<void> {
  const found = await lstat(directory);
  const owner = user?.uid ?? process.getuid?.();
  if (found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0) return;
  throw new Error(
    `${directory} must be a folder that only the database's user (uid ${owner}) can enter. Remove it.`,
  );
}

function unreachable(path: string): Error {
  return new Error(
    `The user that PostgreSQL runs as cannot enter ${path}. Open the folders above it to that user.`,
  );
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The identity for the server; undefined means our own, because we are not root. */
export async function serverUser(cluster: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // A command run by root on a cluster that a service account owns must act as that account.
  const owner = await statIfExists(cluster);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = (await readIfExists('/etc/passwd')) ?? '';
  return account('freehold', passwd) ?? account('nobody', passwd) ?? { uid: 65_534, gid: 65_534 };
}

/** An account of a passwd(5) file; undefined where it has none of this name. */
export function account(name: string, passwd: string): ServerUser | undefined {
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, 'm').exec(passwd) ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: unsigned(uid), gid: unsigned(gid) };
}

/** Whether that user can enter the folder: asked of the system itself, for it alone knows lists and mounts. */
export async function canEnter(user: ServerUser | undefined, directory: string): Promise<boolean> {
  return runsAs(user, 'cd "$1"', directory);
}

/** Whether that user can run every program of the folder. */
export async function canRun(user: ServerUser | undefined, program: string): Promise<boolean> {
  return runsAs(user, 'test -r "$1" && test -x "$1"', program);
}

async function runsAs(user: ServerUser | undefined, script: string, argument: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', script, 'sh', argument], { ...user, cwd: '/', stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

function unsigned(id: string): number {
  return Number(id) >>> 0;
}
