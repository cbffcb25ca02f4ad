// Whole service with a manual clock in a process of its own, which its parent moves by messages and may kill.

import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/lib/log.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { manualClock } from './clock.ts';
import { followParent } from './clocked-process.ts';

/** What the process is started with, as JSON in its first argument. */
export interface ServiceProcessOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  /** Wall-clock milliseconds at the start. */
  readonly start: number;
  /** Where it listens; default: on any free port. */
  readonly port?: number;
  /** Settings besides those that every such process has. */
  readonly environment?: Readonly<Record<string, string>>;
}

const {
  databaseUrl,
  folder,
  start,
  port = 0,
  environment = {},
} = JSON.parse(process.argv[2] ?? '{}') as ServiceProcessOptions;
const clock = manualClock(start);
const settings = { DATABASE_URL: databaseUrl, DATA_DIR: folder, SOURCE: 'none', ...environment };
const app = await createApp({
  config: readConfig(settings, folder),
  database: openDatabase({ url: databaseUrl, maxConnections: 4, timeout: 20_000 }),
  source: null,
  interval: 0,
  publicUrl: 'http://127.0.0.1:1',
  log: createLog({ level: 'silent' }),
  // On a machine that is busy with other tests the server of LIMITS_URL may take long.
  overrides: { clock, deliversWebhooks: false, limitsCallLimit: 20_000 },
});
followParent(clock, await app.server.listen('127.0.0.1', port));
