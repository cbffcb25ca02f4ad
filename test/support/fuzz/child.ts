// Whole service in a process of its own for the fuzzer; SIGUSR2 makes it tell how its event loop has fared.

import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import { ensureSampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import type { Limits } from '../../../src/http/server/server.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/lib/log.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';

/** Options of the child, as JSON in its first argument. */
export interface ChildOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly limits: Partial<Limits>;
}

/** Its report of the time since the last one. */
export interface Fared {
  /** The longest that the event loop was late, in milliseconds: other processes are in it. */
  readonly longestDelay: number;
  /** The most processor time, in milliseconds, that one turn of the event loop took of its thread. */
  readonly longestTurn: number;
  /** Names on the prototypes that everything inherits from. */
  readonly prototypes: string;
  /** Connections and servers that are open. */
  readonly sockets: number;
  readonly heapMegabytes: number;
  /** Lines of the log at level error. */
  readonly errors: readonly string[];
}

const { databaseUrl, folder, limits } = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;
const errors: string[] = [];
const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    for (const line of chunk.toString().split('\n')) if (line.includes('"level":"error"')) errors.push(line);
    done();
  },
});
const environment = {
  DATABASE_URL: databaseUrl,
  DATA_DIR: folder,
  SOURCE: 'none',
  TRUSTED_PROXIES: '127.0.0.1',
};
const config = readConfig(environment, folder);
const database = openDatabase({ url: databaseUrl, maxConnections: 4, timeout: 20_000 });
const { keys } = await ensureSampleKeys({ database, clock: systemClock, file: join(folder, 'keys.env') });
const app = await createApp({
  config,
  database,
  source: null,
  interval: 0,
  publicUrl: 'http://127.0.0.1',
  log: createLog({ stream }),
  overrides: { limits },
});
const port = await app.server.listen('127.0.0.1', 0);

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let longestTurn = 0;
let since = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(since);
  longestTurn = Math.max(longestTurn, (user + system) / 1_000);
  since = process.threadCpuUsage();
}, 2);

process.on('SIGUSR2', () => {
  const prototypes = [Object, Array, Function, String, Number].map(({ prototype }) =>
    Object.getOwnPropertyNames(prototype).join(),
  );
  const fared: Fared = {
    longestDelay: Math.round(delay.max / 1e5) / 10,
    longestTurn,
    prototypes: prototypes.join(';'),
    sockets: process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length,
    heapMegabytes: Math.round(process.memoryUsage().heapUsed / 1e6),
    errors: errors.splice(0),
  };
  console.log(JSON.stringify(fared));
  delay.reset();
  longestTurn = 0;
});
process.stdin.resume().on('end', () => process.exit(0));
console.log(JSON.stringify({ port, key: keys.internal }));
