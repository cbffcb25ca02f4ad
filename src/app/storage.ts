// Owns opening the database that the configuration names: embedded, or a server elsewhere; always migrated.

import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { completeMarketFacts } from '../catalogue/market-facts.ts';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../postgres/database.ts';
import { type EmbeddedServer, startEmbedded } from '../postgres/embedded.ts';
import { migrate } from '../postgres/migrate.ts';

export interface Storage {
  readonly database: Database;
  /** Null with a server elsewhere. */
  readonly embedded: EmbeddedServer | null;
  close(): Promise<void>;
}

/** Opens it for the service, which alone may start the embedded server for good. */
export async function openStorage(config: Config, log: (line: string) => void): Promise<Storage> {
  await createDataDirectory(config);
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
    await completeMarketFacts(database);
    return { database, embedded, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Also with a server elsewhere: the sample's keys and its state are kept there. Throws a sentence with the remedy. */
async function createDataDirectory({ dataDirectory }: Config): Promise<void> {
  try {
    // Others may pass through, to reach what is theirs: as root, PostgreSQL runs as a user of its own.
    await mkdir(dataDirectory, { recursive: true, mode: 0o711 });
    await access(dataDirectory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `The data directory ${dataDirectory} cannot be written. Make it writable for this user, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}
