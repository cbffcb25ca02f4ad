// Folder that this process keeps its files in: there, made where it is not, and writable.

import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';

/** Makes the folder where it is not there yet; throws one sentence with the remedy where it cannot be written. */
export async function requireWritableFolder(folder: string, setting: string): Promise<void> {
  try {
    // Others may pass through, to reach what is theirs: as root, PostgreSQL runs as a user of its own.
    await mkdir(folder, { recursive: true, mode: 0o711 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = `make it writable for this user, or set ${setting} to another folder`;
    throw new Error(`${setting}=${folder} cannot be written (${code ?? 'no reason given'}): ${remedy}.`);
  }
}
