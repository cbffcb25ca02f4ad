// Second service on the database, address and clock of the first, with caches of its own.

import { createApp, type Overrides } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/lib/log.ts';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { startDatabaseProxy } from '../database/database-proxy.ts';
import { untilListening } from '../database/listening.ts';
import { quietPort } from './ports.ts';
import type { TestService } from './service.ts';

export interface SecondService {
  readonly url: string;
  /** Stops it like a process that gets a signal; otherwise it ends with the test. */
  stop(): Promise<void>;
  /** Resolves once it is notified of what others do. */
  listening(): Promise<void>;
  /** Keeps everything from its listening connections: they hang, as if nothing ever happened. */
  silence(): void;
}

/** Starts it, with a database that may be changed, and settings besides those of every test; it ends with the test. */
export async function startSecondService(
  t: Closing,
  service: TestService,
  overrides: Pick<Overrides, 'provider' | 'limits' | 'callLimits'> = {},
  changed: (database: Database) => Database = (database) => database,
  settings: Readonly<Record<string, string>> = {},
): Promise<SecondService> {
  const { databaseUrl, clock } = service;
  const line = await startDatabaseProxy(t, databaseUrl);
  const listening = openDatabase({ url: line.url });
  const plain = openDatabase({ url: databaseUrl, maxConnections: 4, timeout: 20_000 });
  const database = changed({ ...plain, dedicated: (hooks) => listening.dedicated(hooks) });
  const folder = await temporaryFolder(t, 'beside');
  const environment = { DATABASE_URL: databaseUrl, DATA_DIR: folder, SOURCE: 'none', ...settings };
  const app = await createApp({
    config: readConfig(environment, folder),
    database,
    source: null,
    interval: 0,
    publicUrl: service.url,
    log: createLog({ level: 'silent' }),
    overrides: { ...overrides, clock },
  });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= app.stop());
  atEnd(t, async () => {
    line.mode = 'cut';
    await stop();
    await plain.close(1_000);
    await listening.close(100);
  });
  const port = await quietPort();
  await app.server.listen('127.0.0.1', port);
  return {
    url: `http://127.0.0.1:${port}`,
    stop,
    listening: () => untilListening(database),
    silence() {
      line.mode = 'hang';
    },
  };
}
