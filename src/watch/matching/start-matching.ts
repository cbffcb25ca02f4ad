// Start of the matching: once there is a watcher, since its thread takes some 35 MB.

import { CHANGES_CHANNEL } from '../../changes/change-store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Licences } from '../../licence/licences.ts';
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
  /** What is open to the owners of watchers, where the matching runs in this thread. */
  readonly licences: Pick<Licences, 'refresh' | 'reachOf'>;
  /** Where a thread of its own finds the database; null: the matching runs in this thread. */
  readonly target: MatchingTarget | null;
}

export interface MatchingStarter {
  stop(): Promise<void>;
}

/** New watchers are in the log of changes, so whoever joins the channel needs to read only once for those before. */
export function startMatching(options: StartMatchingOptions): MatchingStarter {
  const { database, report } = options;
  let running: RunningMatching | null = null;
  let stopped = false;
  let isCheckDue = false;
  let checking: Promise<void> | null = null;
  addMetrics(options.metrics, () => running?.status() ?? null);
  // However many changes are committed during a check, one more check follows.
  async function checkWhileDue(): Promise<void> {
    while (isCheckDue && running === null && !stopped) {
      isCheckDue = false;
      try {
        const isWatched = await database.read(isAnyWatcher);
        if (isWatched && !stopped) running = run(options);
      } catch (error) {
        report(error);
      }
    }
    checking = null;
  }
  const check = (): void => {
    if (running !== null || stopped) return;
    isCheckDue = true;
    checking ??= checkWhileDue();
  };
  const listener = listen(database, CHANGES_CHANNEL, check, check, { onError: report });
  return {
    async stop() {
      stopped = true;
      await listener.close();
      await checking;
      await running?.stop();
    },
  };
}

function addMetrics(metrics: Metrics, status: () => MatchingStatus | null): void {
  const read = (of: (status: MatchingStatus) => number) => () => {
    const current = status();
    return current === null ? 0 : of(current);
  };
  const gauge = (name: string, help: string, of: (status: MatchingStatus) => number) =>
    metrics.gauge(`freehold_watch_${name}`, help, read(of));
  const counter = (name: string, help: string, of: (status: MatchingStatus) => number) =>
    metrics.observableCounter(`freehold_watch_${name}_total`, help, read(of));
  gauge('matcher', '1 in the process that matches watchers, 0 in those that stand by.', ({ isMatcher }) =>
    Number(isMatcher),
  );
  gauge('watchers', 'Active watchers that this process matches.', ({ watchers }) => watchers);
  gauge(
    'standby_watchers',
    'Active watchers that this process has in memory to take over with; 0 in the one that matches.',
    ({ standbyWatchers }) => standbyWatchers,
  );
  gauge('lag', 'Changes that have not been matched yet.', ({ lag }) => lag);
  gauge(
    'lag_seconds',
    'Age of the oldest change that has not been matched.',
    ({ lagTime }) => lagTime / 1000,
  );
  counter('changes', 'Changes matched.', ({ changes }) => changes);
  counter('events', 'Events that matching found.', ({ events }) => events);
  counter('match_seconds', 'Seconds spent matching.', ({ matchTime }) => matchTime / 1000);
}

function run(options: StartMatchingOptions): RunningMatching {
  if (options.target !== null) return startMatchingThread(options.target, options.report);
  const matching = new Matching(options);
  matching.start();
  return matching;
}
