// Process with a search engine that merges after a few changes and then writes its column file; it kills itself where it is told to.
// Its first line says where it was loaded from, its second that it is ready.

import { watch } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { type Clock, MINUTE, systemClock } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/lib/log.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import type { BaseBuilder } from '../../../src/search/engine/segments/build-base.ts';
import { createThreadBuilder } from '../../../src/search/engine/segments/builder-thread.ts';
import { until } from '../check/until.ts';

/** Steps of a process, in their order in a start and in a rebuild. */
export type EngineStep = 'loading' | 'loaded' | 'merging' | 'merged' | 'writing' | 'written' | 'never';

export type LoadedFrom = 'the database' | 'the file';

export interface EngineChild {
  readonly url: string;
  readonly folder: string;
  readonly port: number;
  readonly step: EngineStep;
  /** How often the step is passed before. */
  readonly passes: number;
}

const { url, folder, port, step, passes }: EngineChild = JSON.parse(process.argv[2] ?? '{}');
let left = passes;
function reach(reached: EngineStep): void {
  if (reached === step && left-- <= 0) process.kill(process.pid, 'SIGKILL');
}

/** Whoever asks it twice finds ten minutes gone, so that every merge writes the file. */
let minutes = 0;
const hurried: Clock = {
  ...systemClock,
  monotonic: () => {
    minutes += 10;
    return minutes * MINUTE;
  },
};

watch(folder, (_, name) => {
  if (name === 'columns.draft') reach('writing');
  if (name === 'columns') reach('written');
});

function steppedBuilder(): BaseBuilder {
  const builder = createThreadBuilder({
    target: { url },
    file: join(folder, 'columns'),
    report: console.error,
    clock: hurried,
  });
  return {
    ...builder,
    async load(onProgress, signal) {
      let from: LoadedFrom = 'the file'; // Which is read without progress.
      const told: typeof onProgress = (progress) => {
        from = 'the database';
        onProgress(progress);
        reach('loading');
      };
      const base = await builder.load(told, signal);
      console.log(from);
      reach('loaded');
      return base;
    },
    async merge(generation, signal) {
      const merging = builder.merge(generation, signal);
      reach('merging');
      const merged = await merging;
      reach('merged');
      return merged;
    },
  };
}

const environment = { DATABASE_URL: url, DATA_DIR: folder, SOURCE: 'none', LOG_LEVEL: 'silent' };
const app = await createApp({
  config: readConfig(environment, folder),
  source: null,
  interval: 0,
  database: openDatabase({ url }),
  publicUrl: `http://127.0.0.1:${port}`,
  log: createLog({ level: 'silent' }),
  overrides: { maxTail: { rows: 8, share: 0 }, searchBuilder: steppedBuilder },
});
await app.server.listen('127.0.0.1', port);
await until('the engine is loaded', () => app.searchEngine.status().state === 'ready');
console.log('ready');
