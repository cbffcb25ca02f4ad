// Start of the matching: once there is a watcher, since its thread takes some 35 MB.

import type { Clock } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Database } from '../../postgres/client/database.ts';
import { listen } from '../../postgres/client/listen.ts';
import { isAnyWatcher } from './definition-store.ts';
import { Matching, type MatchingStatus } from './matching.ts';
import { type MatchingTarget, type RunningMatching, startMatchingThread } from './matching-thread.ts';

export interface StartMatchingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
  /** Where a thread of its own finds the database; null: the matching runs in this thread. */
  readonly target: MatchingTarget | null;
}

export interface MatchingStarter {
  stop(): Promise<void>;
}

/** Watchers are told of by the log of changes, so whoever joins the channel needs to look only once for those before. */
export function startMatching(options: StartMatchingOptions): MatchingStarter {
  const { database, report } = options;
  let running: RunningMatching | null = null;
  let stopped = false;
  let looking: Promise<void> = Promise.resolve();
  addMetrics(options.metrics, () => running?.status() ?? null);
  const look = (): void => {
    looking = looking
      .then(async () => {
        if (running !== null || stopped) return;
        if (!(await database.read(isAnyWatcher)) || stopped) return;
        running = run(options);
      })
      .catch(report);
  };
  const onMessage = () => {
    if (running === null) look();
  };
  const listener = listen(database, 'changes', onMessage, onMessage, { onError: report });
  return {
    async stop() {
      stopped = true;
      await listener.close();
      await looking;
      await running?.stop();
    },
  };
}

function addMetrics(metrics: Metrics, status: () => MatchingStatus | null): void {
  const gauge = (name: string, help: string, value: (status: MatchingStatus) => number): void => {
    metrics.gauge(`freehold_watch_${name}`, help, () => {
      const current = status();
      return current === null ? 0 : value(current);
    });
  };
  gauge('shards', 'Shards of watchers that this process works for, of 64 in all.', ({ shards }) => shards);
  gauge('watchers', 'Active watchers that this process matches.', ({ watchers }) => watchers);
  gauge('lag', 'Changes that have not been matched yet.', ({ lag }) => lag);
  gauge(
    'lag_seconds',
    'Age of the oldest change that has not been matched.',
    ({ lagTime }) => lagTime / 1000,
  );
  gauge('changes', 'Changes matched since the start.', ({ changes }) => changes);
  gauge('match_seconds', 'Time spent matching since the start.', ({ matchTime }) => matchTime / 1000);
}

function run(options: StartMatchingOptions): RunningMatching {
  if (options.target !== null) return startMatchingThread(options.target, options.report);
  const matching = new Matching(options);
  matching.start();
  return matching;
}
