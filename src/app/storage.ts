// Owns opening the database that the configuration names: embedded, or a server elsewhere; always migrated.

import { mkdir } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../postgres/database.ts';
import { type EmbeddedServer, joinOrStartEmbedded, startEmbedded } from '../postgres/embedded.ts';
import { migrate } from '../postgres/migrate.ts';

export interface Storage {
  readonly database: Database;
  /** Null with a server elsewhere. */
  readonly embedded: EmbeddedServer | null;
  /** What migrations were applied now. */
  readonly applied: readonly string[];
  close(): Promise<void>;
}

/** `service` insists on starting the embedded server itself; `command` joins the one that runs. */
export async function openStorage(
  config: Config,
  role: 'service' | 'command',
  log: (line: string) => void,
): Promise<Storage> {
  const embedded = config.databaseUrl === null ? await startServer(config, role, log) : null;
  const target = embedded ? { socket: embedded.connection } : { url: config.databaseUrl ?? '' };
  const database = openDatabase({ ...target, applicationName: `freehold ${role}` });
  async function close(): Promise<void> {
    await database.close();
    await embedded?.stop();
  }
  try {
    await database.serverVersion();
    return { database, embedded, applied: await migrate(database), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startServer(config: Config, role: 'service' | 'command', log: (line: string) => void) {
  // Others may pass through, to reach what is theirs: as root, PostgreSQL runs as a user of its own.
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o711 });
  const start = role === 'service' ? startEmbedded : joinOrStartEmbedded;
  return start({ dataDirectory: config.dataDirectory, log });
}
