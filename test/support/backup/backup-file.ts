// Backup of a database of a test, without the command.

import { writeBackupFile } from '../../../src/backup/backup-file.ts';
import { type MadeBackup, makeBackup } from '../../../src/backup/make-backup.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

export interface BackupFileOptions {
  readonly isFinal?: boolean;
  /** Keys that go into the archive. */
  readonly secretsKey?: string;
  readonly passphrase?: string;
  readonly onWhole?: () => Promise<void>;
  /** That made it; default one that never was. */
  readonly release?: string;
}

/** Writes a backup of the database to a file. */
export async function backupFile(
  database: Database,
  path: string,
  { isFinal = false, secretsKey, passphrase, release = '0.0.0', onWhole }: BackupFileOptions = {},
): Promise<MadeBackup> {
  const { result } = await writeBackupFile(path, (output) =>
    makeBackup({
      database,
      output,
      release,
      connections: 2,
      // A guess may be cheap in a test.
      seal: passphrase === undefined ? null : { passphrase, cost: 10 },
      secretsKey: secretsKey ?? null,
      outside: { settings: [], files: [] },
      isFinal,
      ...(onWhole && { onWhole }),
      signal: new AbortController().signal,
    }),
  );
  return result;
}
