// Whole service within a test's own process, on a durable server of its own: real time, real HTTP, a sample market.

import { join } from 'node:path';
import { ensureSampleKeys, type SampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { type App, createApp } from '../../../src/app/app.ts';
import { openUpstream } from '../../../src/app/upstream.ts';
import { readConfig } from '../../../src/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/lib/log.ts';
import { socketUrl } from '../../../src/postgres/client/connection-url.ts';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';
import { type EmbeddedServer, startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { quietPort } from '../service/ports.ts';

export interface ChaosApp {
  readonly url: string;
  readonly keys: SampleKeys;
  readonly app: App;
  readonly database: Database;
  /** The superuser's. */
  readonly administration: Database;
  readonly dataDirectory: string;
  readonly sampleUrl: string;
  /** The log for the operator, line by line. */
  readonly lines: readonly string[];
  get(path: string, key?: string): Promise<Response>;
  /** Stops the database's server; the function that it gives starts it again. */
  stopDatabase(): Promise<() => Promise<void>>;
  /** A command of the sample market's control. */
  control(path: string, body: unknown): Promise<void>;
}

export interface ChaosAppOptions {
  readonly source: 'sample' | 'none';
  /** The data directory; a temporary folder when absent. */
  readonly dataDirectory?: string;
  /** The address of the database that the service uses; the embedded server's own when absent. */
  readonly through?: (url: string) => Promise<string>;
}

/** Starts it; with the sample market it resolves when searches find all of it. Everything ends with the test. */
export async function startChaosApp(t: Closing, options: ChaosAppOptions): Promise<ChaosApp> {
  const dataDirectory = options.dataDirectory ?? join(await temporaryFolder(t, 'chaos'), 'data');
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  let server = await startEmbedded({ dataDirectory, log });
  atEnd(t, () => server.stop());
  const database = await openMigrated(t, server, options);
  const administration = openDatabase({ socket: server.administration, maxConnections: 1 });
  atEnd(t, () => administration.close(1_000));
  const config = readConfig(
    { DATA_DIR: dataDirectory, LOG_LEVEL: 'silent', SOURCE: options.source, SAMPLE_INTERVAL: '0' },
    dataDirectory,
  );
  const file = join(dataDirectory, 'keys.env');
  const { keys } = await ensureSampleKeys({ database, clock: systemClock, file });
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  const upstream = await openUpstream({
    config,
    database,
    clock: systemClock,
    log,
    sampleListings: 500,
    publicUrl: url,
  });
  atEnd(t, () => upstream.stop());
  const logger = createLog({ level: 'silent' });
  const app = await createApp({ ...upstream, config, database, log: logger, publicUrl: url });
  atEnd(t, () => app.stop());
  await app.server.listen('127.0.0.1', port);
  if (app.replication)
    await until('the first load is complete', async () => app.replication?.status().state === 'following');
  await until('searches are of now', () => isCurrent(url, keys.internal));
  const sampleUrl = upstream.sampleUrl ?? '';
  return {
    url,
    keys,
    app,
    database,
    administration,
    dataDirectory,
    sampleUrl,
    lines,
    get: (path, key) =>
      fetch(`${url}${path}`, {
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(20_000),
      }),
    async stopDatabase() {
      await server.stop();
      return async () => {
        server = await startEmbedded({ dataDirectory, log });
      };
    },
    control: (path, body) => control(`${sampleUrl}${path}`, body),
  };
}

/** Whether a search has all that was committed before it: the engine may be a moment behind. */
async function isCurrent(url: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, 'cache-control': 'no-cache' };
  const answer = await fetch(`${url}/v1/search/sales?limit=1`, { headers });
  const { meta } = (await answer.json()) as { meta?: { lagMs?: number | null } };
  return answer.ok && (meta?.lagMs ?? null) === null;
}

async function openMigrated(t: Closing, server: EmbeddedServer, options: ChaosAppOptions): Promise<Database> {
  const direct = socketUrl(server.connection);
  const url = (await options.through?.(direct)) ?? direct;
  const database = openDatabase({ url, applicationName: 'freehold service' });
  atEnd(t, () => database.close(1_000));
  await migrate(database);
  return database;
}

async function control(url: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}
