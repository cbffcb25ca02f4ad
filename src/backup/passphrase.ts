// Passphrase of an archive, from a file.

import { readFile } from 'node:fs/promises';
import { BackupFailure } from './backup-failure.ts';

/** The first line of a file, without its end. Throws BackupFailure if the file cannot be read. */
export async function readPassphraseFile(file: string): Promise<string> {
  try {
    const [line = ''] = (await readFile(file, 'utf8')).split(/\r?\n/, 1);
    return line;
  } catch (cause) {
    throw new BackupFailure(`The file of the passphrase cannot be read: ${file}.`, { cause });
  }
}
