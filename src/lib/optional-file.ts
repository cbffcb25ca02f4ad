// Files and folders that may not exist.

import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

/** ESRCH: a process that ended while its file in /proc was read. */
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ESRCH']);

/** The text of a file, or undefined where there is none; any other error is thrown. */
export function readIfExists(path: string, encoding: BufferEncoding = 'utf8'): Promise<string | undefined> {
  return readFile(path, encoding).catch(undefinedIfMissing);
}

/** What the system tells of a file or folder, or undefined where there is none; any other error is thrown. */
export function statIfExists(path: string): Promise<Stats | undefined> {
  return stat(path).catch(undefinedIfMissing);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!MISSING.has(error.code ?? '')) throw error;
}
