// Databases of the bench of loads, and rows of its results.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { rolePasswords, SUPERUSER_NAME } from '../../src/postgres/embedded/cluster-roles.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import type { Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';

interface EmptyTestbed extends Testbed {
  /** Copies the database as it is now into another one of the same server, and returns the URL of that. Nobody else may be connected. */
  twin(): Promise<string>;
}

/** A database as a service finds it that starts for the first time, durable. */
export async function openEmptyTestbed(): Promise<EmptyTestbed> {
  const folder = await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), 'freehold-loads-'));
  const server = await startEmbedded({ dataDirectory: folder, log: () => {} });
  const database = openDatabase({ socket: server.connection, timeout: 0 });
  await migrate(database);
  return {
    database,
    databaseUrl: socketUrl(server.connection),
    folder,
    key: '',
    ids: [],
    async twin() {
      const { database: name } = server.connection;
      const { superuser: password } = await rolePasswords(folder);
      const socket = { ...server.connection, database: 'template1', user: SUPERUSER_NAME, password };
      const admin = openDatabase({ socket, timeout: 0 });
      await admin.write(async (sql) => {
        // Idle connections of this process are opened again when they are needed.
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
        await sql.unsafe(`create database twin template ${name} owner ${server.connection.user}`);
        await sql`checkpoint`;
      });
      await admin.close();
      return socketUrl({ ...server.connection, database: 'twin' });
    },
    async close() {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A figure without a floor. */
export const row = (name: string, figure: string): Row => ({ name, figure, floor: '', met: true });
