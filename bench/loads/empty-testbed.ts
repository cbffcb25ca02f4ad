// Databases of the bench of loads, and rows of its results.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import type { Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';

/** A database as a service finds it that starts for the first time, durable. */
export async function openEmptyTestbed(): Promise<Testbed> {
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
    async close() {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A figure without a floor. */
export const row = (name: string, figure: string): Row => ({ name, figure, floor: '', met: true });
