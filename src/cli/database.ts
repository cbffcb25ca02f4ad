// Database of a command: the running service's own, an external server, or one started for the command.

import type { Config } from '../config.ts';
import { requireWritableFolder } from '../lib/files.ts';
import { type Database, openDatabase } from '../postgres/client/database.ts';
import { hasCluster } from '../postgres/embedded/cluster-home.ts';
import { joinOrStartEmbedded } from '../postgres/embedded/embedded.ts';
import { migrate, pendingMigrations } from '../postgres/migrations/migrate.ts';
import { requireServable } from '../postgres/state/state-store.ts';
import { CommandFailure } from './failure.ts';
import { print } from './output.ts';

export type DatabasePlace = Pick<Config, 'dataDirectory' | 'databaseUrl'>;

/** A database that a command has opened. */
export interface OpenedDatabase {
  readonly database: Database;
  /** Where it is, for people; without secrets. */
  readonly place: string;
  /** True when this command started the server, so that no other process uses it. */
  readonly own: boolean;
  close(): Promise<void>;
}

/** The option of commands that may create the embedded database. */
export const INIT_OPTION = ['--init', 'create the embedded database if there is none'] as const;

export interface OpenOptions {
  /** Whether the embedded database is created where there is none. */
  readonly init?: boolean | undefined;
  /** Application name of its sessions; default `freehold command`. */
  readonly applicationName?: string;
}

/** Throws CommandFailure where there is no database and none may be created. */
export async function openCommandDatabase(
  config: DatabasePlace,
  { init = false, applicationName = 'freehold command' }: OpenOptions = {},
): Promise<OpenedDatabase> {
  const common = { maxConnections: 4, applicationName, timeout: 30_000 };
  if (config.databaseUrl !== null) {
    const database = openDatabase({ ...common, url: config.databaseUrl });
    return { database, place: 'DATABASE_URL', own: false, close: () => database.close(1_000) };
  }
  if (!(await hasCluster(config.dataDirectory))) {
    if (!init) throw noDatabase(config.dataDirectory);
    await requireWritableFolder(config.dataDirectory, 'DATA_DIR');
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
 * Opens the database, checks that it may be served and that its schema is that of this release, and closes it after the work. Only a server that
 * no other process uses is migrated here: others are migrated by their operator.
 */
export async function withDatabase<T>(
  config: DatabasePlace,
  work: (database: Database) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const opened = await openCommandDatabase(config, options);
  try {
    await requireServable(opened.database);
    await requireSchema(opened);
    return await work(opened.database);
  } finally {
    await opened.close();
  }
}

/** A command that runs in the wrong folder must not answer from a database that it has just made. */
function noDatabase(dataDirectory: string): CommandFailure {
  return new CommandFailure(
    `There is no database in ${dataDirectory} yet. \`freehold serve\` or \`freehold migrate --init\` creates one. ` +
      'If there should be one, set DATA_DIR or DATABASE_URL as for the service.',
  );
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
