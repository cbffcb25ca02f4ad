// Owns the database of a command: the running service's own, an outside server, or one started for the command's time.

import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../postgres/database.ts';
import { joinOrStartEmbedded } from '../postgres/embedded.ts';
import { migrate, pendingMigrations } from '../postgres/migrate.ts';
import { CommandFailure } from './failure.ts';
import { print } from './output.ts';

export type DatabasePlace = Pick<Config, 'dataDirectory' | 'databaseUrl'>;

/** A database that a command has opened. */
export interface OpenedDatabase {
  readonly database: Database;
  /** Where it is, in words; without secrets. */
  readonly place: string;
  /** True when this command started the server: nobody else uses it. */
  readonly own: boolean;
  close(): Promise<void>;
}

export async function openCommandDatabase(config: DatabasePlace): Promise<OpenedDatabase> {
  const common = { maxConnections: 4, applicationName: 'freehold command', timeout: 30_000 };
  if (config.databaseUrl !== null) {
    const database = openDatabase({ ...common, url: config.databaseUrl });
    return { database, place: 'DATABASE_URL', own: false, close: () => database.close(1_000) };
  }
  const log = (line: string) => print(process.stderr, line);
  const server = await joinOrStartEmbedded({ dataDirectory: config.dataDirectory, log });
  const database = openDatabase({ ...common, socket: server.connection });
  return {
    database,
    place: `embedded in ${server.place.cluster}`,
    own: !server.joined,
    async close() {
      await database.close(1_000);
      await server.stop();
    },
  };
}

/**
 * Opens the database, sees to it that its tables are those of this release, and closes it after the work. Only a
 * server that nobody else uses is brought up to date here: others are migrated when their operator says so.
 */
export async function withDatabase<T>(
  config: DatabasePlace,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const opened = await openCommandDatabase(config);
  try {
    await requireSchema(opened);
    return await work(opened.database);
  } finally {
    await opened.close();
  }
}

async function requireSchema({ database, own }: OpenedDatabase): Promise<void> {
  if (own) {
    await migrate(database);
    return;
  }
  const pending = await pendingMigrations(database);
  if (pending.length === 0) return;
  throw new CommandFailure(
    `The database lacks ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} of this release: run \`freehold migrate\` first.`,
  );
}
