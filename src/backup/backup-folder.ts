// Backup into a folder of backups: under a name of its own, recorded in the database, the oldest ones removed.

import { join } from 'node:path';
import { holdWork, type LeaseClaim } from '../postgres/leases/work-lease.ts';
import type { SealOptions } from './archive/seal.ts';
import { BackupFailure } from './backup-failure.ts';
import { backupName, createBackupFolder, removeOldBackups, writeBackupFile } from './backup-file.ts';
import { type BackupOptions, type MadeBackup, makeBackup } from './make-backup.ts';
import { readPassphraseFile } from './passphrase.ts';
import { hasBackupRecord, recordSuccess } from './record-store.ts';

/** A backup that is on a disk. */
export interface StoredBackup extends MadeBackup {
  /** Path. */
  readonly file: string;
  readonly bytes: number;
  /** Names of older backups that were removed for it. */
  readonly removed: readonly string[];
}

export type FileBackupOptions = Omit<BackupOptions, 'output'>;

/** Makes a backup as a file. Throws like `makeBackup`, and BackupFailure where the file cannot be written. */
export async function backupToFile(file: string, options: FileBackupOptions): Promise<StoredBackup> {
  const at = new Date(options.database.clock.now());
  const { result, bytes } = await writeBackupFile(file, (output) => makeBackup({ ...options, output }));
  await record(options, { at, file, bytes });
  return { ...result, file, bytes, removed: [] };
}

/**
 * Makes a backup in a folder, which is created if it is missing.
 * @param keep backups that stay; null: all
 * @param at when it is made, for its name and the record; milliseconds since the epoch
 * @param claim of the work of which it is a part, null: of none; once another process has that, nothing is recorded and no older backup removed
 */
export async function backupToFolder(
  {
    folder,
    keep,
    at,
    claim,
  }: {
    readonly folder: string;
    readonly keep: number | null;
    readonly at: number;
    readonly claim: LeaseClaim | null;
  },
  options: FileBackupOptions,
): Promise<StoredBackup> {
  await createBackupFolder(folder);
  const file = join(folder, backupName(at, options.seal !== null));
  const { result, bytes } = await writeBackupFile(file, (output) => makeBackup({ ...options, output }));
  await record(options, { at: new Date(at), file, bytes }, claim);
  const removed = keep === null ? [] : await removeOldBackups(folder, keep, at);
  return { ...result, file, bytes, removed };
}

/** A database of an earlier release has nowhere to record it. */
async function record(
  { database }: FileBackupOptions,
  success: { readonly at: Date; readonly file: string; readonly bytes: number },
  claim: LeaseClaim | null = null,
): Promise<void> {
  if (!(await database.read(hasBackupRecord))) return;
  await database.transaction(async (tx) => {
    await recordSuccess(tx, success);
    if (claim !== null) await holdWork(tx, claim);
  });
}

/** How to seal with the passphrase of a file; null: not at all. Throws BackupFailure. */
export async function sealWithFile(file: string | null): Promise<SealOptions | null> {
  if (file === null) return null;
  const passphrase = await readPassphraseFile(file);
  if (passphrase === '')
    throw new BackupFailure(`The first line of ${file} is empty: write the passphrase there.`);
  return { passphrase };
}
