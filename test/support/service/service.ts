// Whole service as tests start it: real HTTP, a database of its own, a small sample market, time by hand.

import { join } from 'node:path';
import { ensureSampleKeys, type SampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { type App, createApp, type Overrides } from '../../../src/app/app.ts';
import { openUpstream } from '../../../src/app/upstream.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog, type Log } from '../../../src/lib/log.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { isOutgoing } from '../../../src/postgres/state/database-state.ts';
import { ALWAYS_SERVING, type StateWatch } from '../../../src/postgres/state/state-watch.ts';
import type { Source } from '../../../src/sources/source.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { quietPort } from './ports.ts';

export interface ServiceOptions {
  /** Default `none`: an empty catalogue. */
  readonly source?: 'sample' | 'none';
  /** How large the sample market is; in a small one, not every city has homes of every kind. Default 500. */
  readonly sampleListings?: number;
  /** Read instead of `source`. */
  readonly ownSource?: Source;
  readonly clock?: ManualClock;
  readonly overrides?: Omit<Overrides, 'clock'>;
  /** Settings besides those that the test makes itself. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: silent. */
  readonly log?: Log;
  /** Default: a database as the embedded server makes it. */
  readonly createDatabase?: typeof testDatabase;
  /** Whether the database has its keys already, as one that was restored; `keys` are then of no use. */
  readonly keepsKeys?: boolean;
  /** What the database may be used for; default: everything. */
  readonly databaseState?: StateWatch;
  /** Instead of the test's own connections: how the service reaches the test's database. */
  readonly connect?: (url: string) => Promise<Database>;
}

export interface TestService {
  readonly url: string;
  readonly clock: ManualClock;
  readonly database: Database;
  /** For a command that runs beside the service. */
  readonly databaseUrl: string;
  readonly keys: SampleKeys;
  readonly app: App;
  /** The sample market's control: POST and PUT send JSON. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** GET with a key, if one is given. */
  get(path: string, key?: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** GET that must answer 200; gives the JSON. */
  json(path: string, key?: string): Promise<never>;
}

/** Milliseconds between two rounds of a test's own source. */
const OWN_INTERVAL = 3_600_000;

/** Starts the service; with a source that may be read it resolves when the first load is complete. Stopped when the test ends. */
export async function startService(t: Closing, options: ServiceOptions = {}): Promise<TestService> {
  const clock = options.clock ?? manualClock(Date.now());
  const { database, url: databaseUrl } = await (options.createDatabase ?? testDatabase)(t);
  const folder = await temporaryFolder(t, 'service');
  const config = readConfig(
    {
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      LOG_LEVEL: 'silent',
      SAMPLE_INTERVAL: '0',
      SOURCE: options.source ?? 'none',
      SEARCH_ENGINE: process.env.TEST_SEARCH_ENGINE ?? 'memory',
      ...options.environment,
    },
    folder,
  );
  const { log = createLog({ level: 'silent' }), databaseState = ALWAYS_SERVING } = options;
  const own = (await options.connect?.(databaseUrl)) ?? database;
  const keysFile = join(folder, 'keys.env');
  const { keys } = options.keepsKeys
    ? { keys: { free: '', pro: '', business: '', internal: '' } }
    : await ensureSampleKeys({ database, clock, file: keysFile });
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  const publicUrl = config.publicUrl ?? url;
  const upstream = await openUpstream({
    config,
    publicUrl,
    database,
    clock,
    log: () => {},
    sampleListings: options.sampleListings ?? 500,
  });
  atEnd(t, () => upstream.stop());
  const app = await createApp({
    ...upstream,
    ...(options.ownSource && { source: options.ownSource, interval: OWN_INTERVAL }),
    config,
    database: own,
    databaseState,
    log,
    keysFile,
    publicUrl,
    overrides: { ...options.overrides, clock },
  });
  atEnd(t, () => app.stop());
  await app.server.listen('127.0.0.1', port);
  const { replication } = app;
  if (replication && isOutgoing(databaseState.state))
    await until('the first load is complete', () => {
      const { state, loadedAt } = replication.status();
      // A busy machine may miss a deadline of the load, which is then tried again once this clock has moved.
      if (state === 'failing') clock.advance(1_000);
      return loadedAt !== null;
    });
  // Tests read what they have just written: past the memory, unless they say otherwise.
  const get: TestService['get'] = (path, key, headers = {}) =>
    fetch(`${url}${path}`, {
      headers: { 'cache-control': 'no-cache', ...(key && { authorization: `Bearer ${key}` }), ...headers },
    });
  return {
    url,
    clock,
    database,
    databaseUrl,
    keys,
    app,
    get,
    control: (method, path, body) => control(`${upstream.sampleUrl}${path}`, method, body),
    async json(path, key) {
      const answer = await get(path, key);
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
      return JSON.parse(text) as never;
    },
  };
}

async function control(url: string, method: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
