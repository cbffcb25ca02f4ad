// Whole service over a payment service, with a manual clock, in a process of its own.

import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/lib/log.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { manualClock } from '../service/clock.ts';
import { followParent } from '../service/clocked-process.ts';
import { MANY_CALLS } from './paying-service.ts';

/** What the process is started with, as JSON in its first argument. */
export interface PayingProcessOptions {
  readonly databaseUrl: string;
  /** Wall-clock milliseconds at the start. */
  readonly start: number;
  /** An empty one, of its own. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

const options = JSON.parse(process.argv[2] ?? '{}') as PayingProcessOptions;
const { databaseUrl, start, folder } = options;
const clock = manualClock(start);
const settings = { ...options.environment, DATABASE_URL: databaseUrl, DATA_DIR: folder, SOURCE: 'none' };
const app = await createApp({
  config: readConfig(settings, folder),
  source: null,
  interval: 0,
  database: openDatabase({ url: databaseUrl, maxConnections: 4, timeout: 20_000 }),
  publicUrl: 'http://127.0.0.1',
  log: createLog({ level: 'silent' }),
  overrides: { clock, callLimits: MANY_CALLS },
});
followParent(clock, await app.server.listen('127.0.0.1', 0));
