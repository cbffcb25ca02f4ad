// Whole service in its own process; once told, it dies while a watcher is created, before or after the commit.

import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/lib/log.ts';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';

/** Options of the child, as JSON in its first argument. */
export interface ChildOptions {
  readonly databaseUrl: string;
  readonly folder: string;
}

/** Each is a line of its input: where the process that creates the next watcher dies. */
export const DEATHS = ['before the commit', 'after the commit'] as const;

const { databaseUrl, folder } = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;
const config = readConfig(
  {
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    SOURCE: 'none',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    WEBHOOK_ALLOW: '127.0.0.1:9',
  },
  folder,
);
const plain = openDatabase({ url: databaseUrl, maxConnections: 8, timeout: 20_000 });
let death = '';
const dieAt = (place: (typeof DEATHS)[number], result: unknown): void => {
  const isCreated =
    typeof result === 'object' && result !== null && 'status' in result && result.status === 201;
  if (death === place && isCreated) process.kill(process.pid, 'SIGKILL');
};
const database: Database = {
  ...plain,
  async transaction(work, options) {
    const result = await plain.transaction(async (tx) => {
      const made = await work(tx);
      dieAt('before the commit', made);
      return made;
    }, options);
    dieAt('after the commit', result);
    return result;
  },
};
const app = await createApp({
  config,
  database,
  source: null,
  interval: 0,
  publicUrl: 'http://127.0.0.1:8080',
  log: createLog({ level: 'silent' }),
  overrides: { deliversWebhooks: false },
});
const port = await app.server.listen('127.0.0.1', 0);
process.stdin.setEncoding('utf8').on('data', (line: string) => {
  death = line.trim();
  console.log('doomed');
});
process.stdin.on('end', () => process.exit(0));
console.log(JSON.stringify({ port }));
