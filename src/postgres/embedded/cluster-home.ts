// Home of the embedded cluster: its folders, beside the service's data if possible, and the system user that owns them.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolder, readIfExists, statIfExists } from '../../lib/files.ts';

export interface ClusterHome {
  /** Contains the cluster, the server's log and, if needed, library links. */
  readonly home: string;
  readonly cluster: string;
  readonly user: ServerUser | undefined;
  /** True if the server's user cannot reach the data directory, so its files are elsewhere. */
  readonly outside: boolean;
}

/** In the data directory: names the folder of a database that is elsewhere. */
export const PLACE_NOTE = 'postgres-place.json';

/** A socket's address has 108 bytes on Linux and 104 on macOS, including the final zero. */
const SOCKET_PATH_LIMIT = process.platform === 'darwin' ? 103 : 107;
const SOCKET_NAME = '.s.PGSQL.5432';

/** Creates the data directory if there is none. */
export async function createDataDirectory(dataDirectory: string): Promise<void> {
  const isNew = await createFolder(dataDirectory, 0o755);
  // The server's user may pass through, not look around.
  if (isNew) await chmod(dataDirectory, 0o711);
}

/** Where the cluster of a data directory is, or shall be. Chosen once. */
export async function clusterHome(dataDirectory: string, systemDirectory: string): Promise<ClusterHome> {
  const noted = await readNote(dataDirectory);
  if (noted !== undefined) return existingHome(dataDirectory, noted);
  const inside = await insideHome(dataDirectory);
  return inside ?? outsideHome(dataDirectory, systemDirectory);
}

/** Whether this data directory has a database, in it or elsewhere. */
export async function hasCluster(dataDirectory: string): Promise<boolean> {
  const inside = join(dataDirectory, 'postgres', 'cluster');
  return (await exists(inside)) || exists(join(dataDirectory, PLACE_NOTE));
}

/** True also for what this process may not read. */
function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT' && code !== 'ENOTDIR',
  );
}

/** A folder for the socket that only the server's user can enter, with a path short enough for the system. */
export async function socketDirectory(home: ClusterHome): Promise<string> {
  const beside = join(home.home, 'socket');
  const directory = fits(beside) ? beside : shortDirectory(home);
  if (await createPrivateDirectory(directory)) await setOwner(directory, home.user);
  await assertPrivate(directory, home.user);
  return directory;
}

/** Whether a socket in this folder has an address that the system accepts. */
export function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, SOCKET_NAME)) <= SOCKET_PATH_LIMIT;
}

/** Creates a folder that only the server's user can enter. */
export async function ownDirectory(directory: string, user: ServerUser | undefined): Promise<void> {
  await createFolder(directory, 0o700);
  await setOwner(directory, user);
}

async function setOwner(directory: string, user: ServerUser | undefined): Promise<void> {
  if (user !== undefined) await chown(directory, user.uid, user.gid);
}

async function insideHome(dataDirectory: string): Promise<ClusterHome | undefined> {
  const folder = join(await realpath(dataDirectory), 'postgres');
  const home = await homeAt(folder, false);
  await ownDirectory(folder, home.user);
  if (await canEnter(home.user, folder)) return home;
  if (await exists(home.cluster)) throw unreachable(home.cluster);
  await rm(folder, { recursive: true });
  return undefined;
}

async function outsideHome(dataDirectory: string, systemDirectory: string): Promise<ClusterHome> {
  await createFolder(systemDirectory, 0o755);
  const hash = shortHash(await realpath(dataDirectory));
  const folder = await createNumberedDirectory(join(systemDirectory, hash));
  const home = await homeAt(folder, true);
  await setOwner(folder, home.user);
  if (!(await canEnter(home.user, folder))) throw unreachable(folder);
  const note = `${JSON.stringify({ home: folder }, undefined, 2)}\n`;
  const isFirst = await writeFile(join(dataDirectory, PLACE_NOTE), note, { flag: 'wx' }).then(
    () => true,
    () => false,
  );
  if (isFirst) return home;
  await rm(folder, { recursive: true });
  return existingHome(dataDirectory, (await readNote(dataDirectory)) ?? folder);
}

/** Never reuses a folder: it may have the database of a data directory that was deleted. */
async function createNumberedDirectory(base: string): Promise<string> {
  for (let number = 1; ; number++) {
    const directory = number === 1 ? base : `${base}-${number}`;
    if (await createPrivateDirectory(directory)) return directory;
  }
}

/** False if it exists already. */
function createPrivateDirectory(directory: string): Promise<boolean> {
  return mkdir(directory, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
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
  const text = await readIfExists(join(dataDirectory, PLACE_NOTE));
  return text === undefined ? undefined : (JSON.parse(text) as { home: string }).home;
}

function shortDirectory({ home, user }: ClusterHome): string {
  const name = `freehold-${shortHash(home)}`;
  // A user's own temporary folder may be closed to the server's user, or have a long path itself.
  const own = join(tmpdir(), name);
  return user === undefined && fits(own) ? own : join('/tmp', name);
}

/** Anyone may create folders in a temporary folder: one that somebody else prepared is refused. */
async function assertPrivate(directory: string, user: ServerUser | undefined): Promise<void> {
  const stats = await lstat(directory);
  const owner = user?.uid ?? process.getuid?.();
  if (stats.isDirectory() && stats.uid === owner && (stats.mode & 0o077) === 0) return;
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

/** The user that the server runs as: PostgreSQL refuses root. Undefined: this process's own, which is not root. */
export async function serverUser(cluster: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // A command that root runs on a service account's cluster acts as that account.
  const owner = await statIfExists(cluster);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = (await readIfExists('/etc/passwd')) ?? '';
  return account('freehold', passwd) ?? account('nobody', passwd) ?? { uid: 65_534, gid: 65_534 };
}

/** An account of a passwd(5) file; undefined if there is none of this name. */
export function account(name: string, passwd: string): ServerUser | undefined {
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, 'm').exec(passwd) ?? [];
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
}

/** Whether that user can enter the folder. Only the system knows: there may be access lists and mounts. */
export async function canEnter(user: ServerUser | undefined, directory: string): Promise<boolean> {
  return runsAs(user, 'cd "$1"', directory);
}

/** Whether that user can run the program. */
export async function canRun(user: ServerUser | undefined, program: string): Promise<boolean> {
  return runsAs(user, 'test -r "$1" && test -x "$1"', program);
}

async function runsAs(user: ServerUser | undefined, script: string, argument: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', script, 'sh', argument], { ...user, cwd: '/', stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code === 0;
}
