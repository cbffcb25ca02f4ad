// Stage of the engine's proof: one database, a service that answers from its engine and can be disturbed, and one that asks
// PostgreSQL.

import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureSampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { type App, createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/lib/log.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { type BaseBuilder, createLocalBuilder } from '../../../src/search/engine/segments/build-base.ts';
import { createThreadBuilder } from '../../../src/search/engine/segments/builder-thread.ts';
import { NOW, writeAreas } from '../catalogue/random-market.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import type { Query } from '../oracle/filters.ts';
import { manualClock } from '../service/clock.ts';
import { quietPort } from '../service/ports.ts';
import { faultyLog, type LogFault } from './log-fault.ts';
import { Gate } from './stage.ts';

export type Side = 'engine' | 'sql';
export type ListingType = 'sale' | 'rental';
/** What becomes of the column file while the process is away. */
export type FileFate = 'kept' | 'gone' | 'damaged';

export interface AskOptions {
  /** Whether an answer may be of a moment ago; default false. */
  readonly mayBeLate?: boolean;
}

/** So few rows are merged at once. */
const MAX_TAIL = { rows: 12, share: 0 };
/** One merge in so many is made by a thread, which writes the column file if that is old. */
const THREAD_MERGES = 6;

/** The injected clock of all processes, which also jumps as clocks of machines do that are set. */
function jumpingClock(): { readonly clock: Clock; jump(milliseconds: number): void } {
  const steady = manualClock(NOW);
  let offset = 0;
  const clock: Clock = {
    now: () => steady.now() + offset,
    monotonic: () => steady.monotonic(),
    after: (milliseconds, callback) => steady.after(milliseconds, callback),
  };
  return {
    clock,
    jump(milliseconds) {
      offset += milliseconds;
    },
  };
}

/** Milliseconds after which an engine that cannot read the log takes no record from its cache. */
const REMEMBERED = 5_000;

/** A database by whose clock time can be made to have passed. */
function ageing(database: Database): { readonly database: Database; age(milliseconds: number): void } {
  let age = 0;
  const clock = { ...database.clock, monotonic: () => database.clock.monotonic() + age };
  return {
    database: { ...database, clock },
    age(milliseconds) {
      age += milliseconds;
    },
  };
}

export interface MachineStage {
  readonly database: Database;
  readonly clock: Clock;
  jump(milliseconds: number): void;
  /** Whatever the engine has read of the log by now is too old for records from its cache. */
  outlastCache(): void;
  /** The log as the engine's process reads it. */
  readonly log: LogFault;
  readonly gates: { readonly load: Gate; readonly merge: Gate };
  readonly engine: () => App['searchEngine'];
  restart(file: FileFate): Promise<void>;
  /** The answer, which must be 200, as JSON. */
  ask(side: Side, type: ListingType, query: Query, options?: AskOptions): Promise<unknown>;
}

export async function startMachine(t: Closing): Promise<MachineStage> {
  const { database, url } = await testDatabase(t);
  await writeAreas(database);
  const { clock, jump } = jumpingClock();
  const folder = await temporaryFolder(t, 'machine');
  const file = join(folder, 'columns');
  const { keys } = await ensureSampleKeys({ database, clock, file: join(folder, 'keys.env') });
  const aged = ageing(database);
  const log = faultyLog(aged.database);
  const gates = { load: new Gate(), merge: new Gate() };
  const builderOf = (own: Database): BaseBuilder => {
    const thread = createThreadBuilder({ target: { url }, file, report: () => {}, clock });
    const local = createLocalBuilder(own);
    const closing = new AbortController();
    let merges = 0;
    return {
      async load(onProgress, signal) {
        await gates.load.pass(AbortSignal.any([signal, closing.signal]));
        return thread.load(onProgress, signal);
      },
      async merge(generation, signal) {
        await gates.merge.pass(AbortSignal.any([signal, closing.signal]));
        return (++merges % THREAD_MERGES === 0 ? thread : local).merge(generation, signal);
      },
      async close() {
        closing.abort(new Error('closed'));
        await Promise.all([thread.close(), local.close()]);
      },
    };
  };
  const start = async (side: Side) => {
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: folder,
      SOURCE: 'none',
      LOG_LEVEL: 'silent',
      SEARCH_ENGINE: side === 'sql' ? 'postgres' : 'memory',
    };
    const port = await quietPort();
    const app = await createApp({
      config: readConfig(environment, folder),
      source: null,
      interval: 0,
      database: side === 'sql' ? database : log.database,
      publicUrl: 'http://127.0.0.1',
      log: createLog({ level: 'silent' }),
      overrides: { clock, maxTail: MAX_TAIL, ...(side === 'engine' && { searchBuilder: builderOf }) },
    });
    await app.server.listen('127.0.0.1', port);
    if (side === 'engine')
      await until('the engine is loaded', () => app.searchEngine.status().state === 'ready');
    return { app, url: `http://127.0.0.1:${port}` };
  };
  const running = { engine: await start('engine'), sql: await start('sql') };
  atEnd(t, async () => {
    for (const gate of [log.gate, gates.load, gates.merge]) gate.open();
    await Promise.all([running.engine.app.stop(), running.sql.app.stop()]);
  });
  return {
    database,
    clock,
    jump,
    log,
    gates,
    outlastCache: () => aged.age(REMEMBERED + 1),
    engine: () => running.engine.app.searchEngine,
    async restart(fate) {
      await running.engine.app.stop();
      if (fate === 'gone') await rm(file, { force: true });
      if (fate === 'damaged') await truncate(file, 1_000).catch(() => {});
      running.engine = await start('engine');
    },
    async ask(side, type, query, { mayBeLate = false } = {}) {
      const path = `/v1/search/${type}s?${new URLSearchParams({ ...query })}`;
      const answer = await fetch(`${running[side].url}${path}`, {
        headers: {
          authorization: `Bearer ${keys.internal}`,
          'cache-control': mayBeLate ? 'max-age=60' : 'no-cache',
        },
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${side} ${path} answered ${answer.status}: ${text}`);
      return JSON.parse(text);
    },
  };
}
