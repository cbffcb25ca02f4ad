// Watch over the budgets of all sources of a process: how they stand as metrics, and a loud word where reading stops.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import { nullIfUnavailable } from '../../lib/problem.ts';
import type { BudgetReport, WindowUse } from '../source.ts';
import type { SourceSet } from '../source-set.ts';

export interface BudgetWatchOptions {
  readonly sources: Pick<SourceSet, 'list'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two looks. */
const LOOK = 10_000;

type Unit = 'requests' | 'bytes';
interface Labels {
  readonly source: string;
  readonly share: WindowUse['share'];
  readonly seconds: string;
  readonly unit: Unit;
}

/** Looks at the budgets now and every few seconds, whichever process reads the sources. */
export function startBudgetWatch({ sources, clock, log, metrics, report }: BudgetWatchOptions): PeriodicWork {
  let known: ReadonlyMap<string, BudgetReport> = new Map();
  const counts = (of: (counted: { readonly used: number; readonly limit: number }) => number) => () =>
    [...known].flatMap(([source, { windows }]) => windows.flatMap((window) => valuesOf(source, window, of)));
  const labels = ['source', 'share', 'seconds', 'unit'] as const;
  metrics.gaugeOf(
    'freehold_source_budget_used',
    'Requests and bytes that all processes took from a source in a window of time.',
    labels,
    counts(({ used }) => used),
  );
  metrics.gaugeOf(
    'freehold_source_budget_left',
    'Requests and bytes that may still be taken from a source in a window of time.',
    labels,
    counts(({ used, limit }) => Math.max(0, limit - used)),
  );
  const bySource = (of: (report: BudgetReport) => number) => () =>
    [...known].map(([source, each]) => [source, of(each)] as const);
  metrics.gaugeBy(
    'freehold_source_blocked_seconds',
    'Seconds for which a source wants no request, as its Retry-After says; 0: it takes requests.',
    'source',
    bySource(({ blockedUntil }) =>
      blockedUntil === null ? 0 : Math.max(0, (Date.parse(blockedUntil) - clock.now()) / 1_000),
    ),
  );
  metrics.gaugeBy(
    'freehold_source_stopped',
    '1 while a source is not read, since going on could suspend its credential, or has.',
    'source',
    bySource(({ stopped }) => (stopped === null ? 0 : 1)),
  );
  const look = async (): Promise<void> => {
    const next = new Map<string, BudgetReport>();
    for (const { id, source } of sources.list()) {
      if (source?.budget === undefined) continue;
      const found = await nullIfUnavailable(source.budget.read());
      const before = known.get(id);
      if (found === null) {
        if (before !== undefined) next.set(id, before);
        continue;
      }
      next.set(id, found);
      if (found.stopped !== null && (before?.stopped ?? null) === null)
        log.error(
          { source: id, event: 'source_stopped' },
          `The source "${id}" is not read. ${found.stopped}`,
        );
      if (found.stopped === null && (before?.stopped ?? null) !== null)
        log.info({ source: id, event: 'source_stopped' }, `The source "${id}" is read again`);
    }
    known = next;
  };
  return startPeriodicWork({ clock, report, pause: LOOK, work: look });
}

function valuesOf(
  source: string,
  { share, seconds, ...window }: WindowUse,
  of: (counted: { readonly used: number; readonly limit: number }) => number,
): (readonly [Labels, number])[] {
  const units: readonly Unit[] = ['requests', 'bytes'];
  return units.flatMap((unit) => {
    const counted = window[unit];
    return counted === null
      ? []
      : [[{ source, share, seconds: String(seconds), unit }, of(counted)] as const];
  });
}
