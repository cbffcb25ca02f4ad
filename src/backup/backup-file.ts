// File of a backup: written under another name, and given its own once it is whole and on the disk.

import { chown, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { HOUR } from '../lib/clock.ts';
import { createFolder, statIfExists } from '../lib/files.ts';
import { randomToken } from '../lib/secrets.ts';
import { BackupFailure, backupFailure } from './backup-failure.ts';

/** Between the name of a backup and random characters, while it is written. */
const PARTIAL = '.partial-';
/** Milliseconds after which nobody writes a file any more that was not written to: its process was killed. */
const ABANDONED_AFTER = HOUR;
/** Bytes that are written at once. */
const WRITE_BYTES = 1024 * 1024;

/** Names of backups in a folder, by which they are recognized and ordered. */
const NAME = /^freehold-\d{8}T\d{9}Z\.tar\.zst(?:\.sealed)?$/;

/** The name of a backup in a folder: `freehold-20261128T030000123Z.tar.zst`, with `.sealed` behind it where it is encrypted. */
export function backupName(at: number, isEncrypted: boolean): string {
  const time = new Date(at).toISOString().replace(/[-:.]/g, '');
  return `freehold-${time}.tar.zst${isEncrypted ? '.sealed' : ''}`;
}

/**
 * Writes a file that only its owner can read, in place of one with this name, which stays until the new one is whole. Whatever
 * happens, the name never stands for half a file; after an error nothing of it is left.
 * @param write writes everything to the output, and ends it
 * @returns what `write` returns, and the bytes of the file. Throws BackupFailure where the file cannot be written.
 */
export async function writeBackupFile<T>(
  path: string,
  write: (output: Writable) => Promise<T>,
): Promise<{ readonly result: T; readonly bytes: number }> {
  const partial = `${path}${PARTIAL}${randomToken(6)}`;
  let output: Writable | undefined;
  try {
    await requireReplaceable(path);
    const handle = await open(partial, 'wx', 0o600);
    output = handle.createWriteStream({ flush: true, highWaterMark: WRITE_BYTES });
    const result = await write(output);
    // A file of root in another user's folder is that user's.
    if (process.getuid?.() === 0) {
      const { uid, gid } = await stat(dirname(path));
      await chown(partial, uid, gid);
    }
    const { size } = await stat(partial);
    await rename(partial, path);
    await syncFolder(dirname(path));
    return { result, bytes: size };
  } catch (error) {
    output?.destroy();
    await rm(partial, { force: true });
    throw backupFailure(error, path);
  }
}

async function requireReplaceable(path: string): Promise<void> {
  const found = await statIfExists(path);
  if (found === undefined || found.isFile()) return;
  throw new BackupFailure(
    found.isDirectory()
      ? `${path} is a folder.`
      : `${path} is no regular file. Use - to write a backup to standard output.`,
  );
}

/** The new name survives a crash of the machine only if its folder was written too. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/** Creates a folder for backups, that only its owner can enter, unless it is there. Throws BackupFailure. */
export async function createBackupFolder(folder: string): Promise<void> {
  try {
    await createFolder(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new BackupFailure(
        `The backup cannot be written to ${folder}: its file system lets nobody create folders. Choose another folder.`,
        { cause: error },
      );
    throw backupFailure(error, folder);
  }
}

/**
 * Removes the oldest backups of a folder, and what killed backups have left in it. Other files stay.
 * @param keep how many backups stay
 * @param now milliseconds since the epoch
 * @returns the names of the backups that were removed
 */
export async function removeOldBackups(
  folder: string,
  keep: number,
  now: number,
): Promise<readonly string[]> {
  const names = await readdir(folder);
  const old = names
    .filter((name) => NAME.test(name))
    .toSorted()
    .slice(0, -keep);
  for (const name of old) await rm(join(folder, name), { force: true });
  const partial = names.filter((name) => NAME.test(name.slice(0, Math.max(0, name.indexOf(PARTIAL)))));
  for (const name of partial) {
    const found = await statIfExists(join(folder, name));
    if (found !== undefined && now - found.mtimeMs > ABANDONED_AFTER)
      await rm(join(folder, name), { force: true });
  }
  return old;
}
