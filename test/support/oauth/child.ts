// Whole service in its own process; after SIGUSR2 it dies between the commit of a refresh and its response.

import { join } from 'node:path';
import { ensureSampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/lib/log.ts';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';

/** Options of the child, as JSON in its first argument. */
export interface ChildOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  /** What tokens are for, wherever the child itself listens. */
  readonly publicUrl: string;
}

const { databaseUrl, folder, publicUrl } = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;
const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: folder, SOURCE: 'none' }, folder);
const plain = openDatabase({ url: databaseUrl, maxConnections: 8, timeout: 20_000 });
await ensureSampleKeys({ database: plain, clock: systemClock, file: join(folder, 'keys.env') });
let doomed = false;
const database: Database = {
  ...plain,
  async writeByDeadline(work, options) {
    const result = await plain.writeByDeadline(work, options);
    if (doomed && Array.isArray(result) && result[0]?.outcome === 'rotated')
      process.kill(process.pid, 'SIGKILL');
    return result;
  },
};
const app = await createApp({
  config,
  database,
  source: null,
  interval: 0,
  publicUrl,
  log: createLog({ level: 'silent' }),
});
const port = await app.server.listen('127.0.0.1', 0);
process.on('SIGUSR2', () => {
  doomed = true;
  console.log('doomed');
});
process.stdin.resume().on('end', () => process.exit(0));
console.log(JSON.stringify({ port }));
