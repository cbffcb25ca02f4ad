// Files and folders: read if they exist, read in part, and made writable.

import { constants, type Stats } from 'node:fs';
import { access, chown, link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomToken } from './secrets.ts';

/** ESRCH: a process that ended while its file in /proc was read. */
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ESRCH']);

/** The text of a file, or undefined if there is none; any other error is thrown. */
export function readIfExists(path: string, encoding: BufferEncoding = 'utf8'): Promise<string | undefined> {
  return readFile(path, encoding).catch(undefinedIfMissing);
}

/** The status of a file or folder, or undefined if there is none; any other error is thrown. */
export function statIfExists(path: string): Promise<Stats | undefined> {
  return stat(path).catch(undefinedIfMissing);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!MISSING.has(error.code ?? '')) throw error;
}

/** The first bytes of a file, as many as there are up to `bytes`. */
export async function readBeginning(path: string, bytes: number): Promise<Buffer> {
  await using handle = await open(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * Creates a folder unless it is there, with those above it. True: it was created. Node's own `recursive` never returns where a
 * file system lets nobody create a folder and answers ENOENT, as /proc does; here that error is thrown.
 */
export async function createFolder(folder: string, mode: number): Promise<boolean> {
  const parent = dirname(folder);
  if (parent !== folder && (await statIfExists(parent)) === undefined) await createFolder(parent, mode);
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (error) {
    if ((await statIfExists(folder))?.isDirectory() !== true) throw error;
    return false;
  }
}

/** Creates the folder if it is missing. Throws one sentence with the remedy if this process cannot write in it. */
export async function requireWritableFolder(folder: string, setting: string): Promise<void> {
  try {
    // Others may pass through: started by root, PostgreSQL runs as another user.
    await createFolder(folder, 0o711);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = `make it writable for this user, or set ${setting} to another folder`;
    throw new Error(`${setting}=${folder} cannot be written (${code ?? 'no reason given'}): ${remedy}.`);
  }
}

/**
 * Writes a file that only its owner can read, unless it is there: true if this process was the first. It is written to a draft
 * that is then linked, so nobody reads half a file. It belongs to the owner of its folder, also if root writes it.
 */
export async function createPrivateFile(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${randomToken(6)}`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
    if (process.getuid?.() === 0) {
      const { uid, gid } = await stat(dirname(file));
      await chown(draft, uid, gid);
    }
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}
