// Files and folders: read if they exist, read in part, and made writable.

import { constants, type Stats } from 'node:fs';
import { access, mkdir, open, readFile, stat } from 'node:fs/promises';

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

/** Creates the folder if it is missing. Throws one sentence with the remedy if this process cannot write in it. */
export async function requireWritableFolder(folder: string, setting: string): Promise<void> {
  try {
    // Others may pass through: started by root, PostgreSQL runs as another user.
    await mkdir(folder, { recursive: true, mode: 0o711 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = `make it writable for this user, or set ${setting} to another folder`;
    throw new Error(`${setting}=${folder} cannot be written (${code ?? 'no reason given'}): ${remedy}.`);
  }
}
