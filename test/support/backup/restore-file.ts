// Restore of a backup into a database of a test, without the command.

import { inspectArchive } from '../../../src/backup/restore/inspect-archive.ts';
import { type RestoreOptions, restoreArchive } from '../../../src/backup/restore/restore-archive.ts';
import { makeHarmless } from '../../../src/cli/restore/make-harmless.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

/** Restores a backup that is not encrypted. */
export async function restoreFile(
  database: Database,
  path: string,
  afterLoad: RestoreOptions['afterLoad'] = makeHarmless,
): Promise<void> {
  const { signal } = new AbortController();
  const archive = await inspectArchive({ path, passphrase: async () => null }, () => {}, signal);
  await restoreArchive({ database, archive, afterLoad, onProgress: () => {}, signal, sessions: 2 });
}
