// Storage: the database that the configuration names, embedded or external, opened and migrated.

import type { Config } from '../config.ts';
import { requireWritableFolder } from '../lib/writable-folder.ts';
import { type Database, openDatabase } from '../postgres/client/database.ts';
import { type EmbeddedServer, startEmbedded } from '../postgres/embedded/embedded.ts';
import { migrate } from '../postgres/migrations/migrate.ts';

export interface Storage {
  readonly database: Database;
  /** Null with a server elsewhere. */
  readonly embedded: EmbeddedServer | null;
  close(): Promise<void>;
}

/** Opens it for the service, which alone may start the embedded server for good. */
export async function openStorage(config: Config, log: (line: string) => void): Promise<Storage> {
  // Also with a server elsewhere: the sample's keys and its state are kept there.
  await requireWritableFolder(config.dataDirectory, 'DATA_DIR');
  const embedded =
    config.databaseUrl === null ? await startEmbedded({ dataDirectory: config.dataDirectory, log }) : null;
  const target = embedded ? { socket: embedded.connection } : { url: config.databaseUrl ?? '' };
  const database = openDatabase({ ...target, applicationName: 'freehold service' });
  async function close(): Promise<void> {
    await database.close();
    await embedded?.stop();
  }
  try {
    await database.serverVersion();
    await migrate(database);
    return { database, embedded, close };
  } catch (error) {
    await close();
    throw error;
  }
}
