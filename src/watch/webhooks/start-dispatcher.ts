// Start of the dispatcher: once there is a webhook. Until then one small statement now and then looks for it.

import { systemClock } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { startPeriodicWork } from '../../lib/periodic-work.ts';
import type { AttemptOutcome } from './attempt-rules.ts';
import { isAnyWebhook } from './claim-store.ts';
import type { Attempt, QueuedEvent } from './claimed-webhook.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';

export interface StartDispatcherOptions extends DispatcherOptions {
  readonly metrics: Metrics;
  /** Called with each attempt that was made. */
  readonly onAttempt?: (attempt: Attempt, event: QueuedEvent) => void;
}

export interface DispatcherStarter {
  stop(): Promise<void>;
}

/** Milliseconds by the system's clock. */
const PAUSE = 2_000;

export function startDispatcher(options: StartDispatcherOptions): DispatcherStarter {
  const { database, metrics, report } = options;
  let running: Dispatcher | null = null;
  const attempts = metrics.counter(
    'freehold_webhook_attempts_total',
    'Attempts to deliver events to webhooks, by outcome.',
    ['outcome'],
  );
  metrics.gauge(
    'freehold_webhook_open_deliveries',
    'Webhooks that this process delivers to now.',
    () => running?.status().open ?? 0,
  );
  metrics.gauge(
    'freehold_webhook_oldest_pending_seconds',
    'Age of the oldest event that waits to be delivered to a webhook, in all processes.',
    () => {
      const oldest = running?.status().oldestPending ?? null;
      return oldest === null ? 0 : Math.max(0, options.clock.now() - oldest) / 1000;
    },
  );
  const looking = startPeriodicWork({
    clock: systemClock,
    pause: PAUSE,
    report,
    async work(isStopped) {
      if (running !== null || !(await database.read(isAnyWebhook)) || isStopped()) return;
      running = new Dispatcher({
        ...options,
        count: (attempt, outcome, event) => {
          attempts.inc({ outcome: outcomeOf(attempt, outcome) });
          options.onAttempt?.(attempt, event);
        },
      });
      running.start();
    },
  });
  return {
    async stop() {
      await looking.stop();
      await running?.stop();
    },
  };
}

/** unanswered: there was no status. refused: one other than 2xx. parked: either, for the last time. */
function outcomeOf({ httpStatus }: Attempt, { status }: AttemptOutcome): string {
  if (status !== 'failed') return status;
  return httpStatus === null ? 'unanswered' : 'refused';
}
