// Evaluation of market conditions: each figure is computed once an hour, by one process, and what crosses into a condition is
// written to the log of changes.

import { appendPrivateEntries, type NewPrivateEntry } from '../../changes/change-store.ts';
import { type Clock, HOUR, MINUTE } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { PeriodicWork } from '../../lib/periodic-work.ts';
import { isUnavailable } from '../../lib/problem.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../../postgres/leases/leased-work.ts';
import {
  type ComputedFigure,
  crossingOf,
  type Evaluation,
  evaluate,
  type WatchedFigure,
} from './condition.ts';
import {
  type DueFigure,
  deleteUnusedFigures,
  findDueFigure,
  findOldestDue,
  lockConditions,
  postponeFigure,
  updateConditions,
  updateFigure,
  type WatchedCondition,
} from './condition-store.ts';

export interface EvaluationOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The value of a figure now; null: its sample is too small, or its area is gone. Throws a 503 while there is no room for it. */
  readonly compute: (figure: WatchedFigure, now: number) => Promise<number | null>;
  readonly report: (error: unknown) => void;
  /** Called between the steps of an evaluation, for tests that stop the process there. */
  readonly onStep?: (step: EvaluationStep) => void | Promise<void>;
}

export type EvaluationStep = 'computed' | 'written' | 'committed';

/** Milliseconds between two looks for figures that are due. */
const PAUSE = 15_000;
/** Milliseconds until a figure that could not be computed is tried again. */
const RETRY_PAUSE = 5 * MINUTE;
/** Watchers in one transaction. */
const BATCH = 500;
/** Milliseconds for one transaction. */
const TIMEOUT = 30_000;

/** Name of the work, as its lease has it. */
export const MARKET_LEASE = 'market conditions';

/** Evaluates what is due, now and until it is stopped. Of all processes that share a database, one does it. */
export function startMarketEvaluation(options: EvaluationOptions): Pick<PeriodicWork, 'stop'> {
  const evaluator = new MarketEvaluator(options);
  return startLeasedWork({
    ...options,
    name: MARKET_LEASE,
    pause: PAUSE,
    isDue: () => evaluator.isDue(),
    work: (lease, isOver) => evaluator.run(lease, isOver),
  });
}

interface EvaluatedCondition extends WatchedCondition, Evaluation {
  /** Milliseconds. */
  readonly at: number;
}

/** Evaluates what is due, round by round. */
export class MarketEvaluator {
  readonly #options: EvaluationOptions;
  readonly #count: (outcome: string) => void;
  #oldestDue: number | null = null;

  constructor(options: EvaluationOptions) {
    const { clock, metrics } = options;
    this.#options = options;
    metrics.gauge(
      'freehold_watch_market_overdue_seconds',
      'How long the market figure that waits the longest for its hourly computation has been due.',
      () => (this.#oldestDue === null ? 0 : Math.max(0, clock.now() - this.#oldestDue) / 1000),
    );
    const counter = metrics.counter(
      'freehold_watch_market_figures_total',
      'Market figures computed for watchers, by outcome.',
      ['outcome'],
    );
    this.#count = (outcome) => counter.inc({ outcome });
  }

  /** Whether a figure is due. */
  async isDue(): Promise<boolean> {
    const { database, clock } = this.#options;
    this.#oldestDue = await database.read(findOldestDue);
    return this.#oldestDue !== null && this.#oldestDue <= clock.now();
  }

  /** One round over all that is due. Throws WorkTaken once another process evaluates. */
  async run(lease: HeldLease, isOver: () => boolean = () => false): Promise<void> {
    const { database, clock } = this.#options;
    while (!isOver()) {
      const due = await database.read((sql) => findDueFigure(sql, new Date(clock.now())));
      if (due === null) break;
      await this.#evaluate(lease, due);
    }
    await deleteUnusedFigures(database, BATCH);
    this.#oldestDue = await database.read(findOldestDue);
  }

  async #evaluate(lease: HeldLease, due: DueFigure): Promise<void> {
    const { clock, compute, onStep } = this.#options;
    const at = clock.now();
    let value: number | null;
    try {
      value = await compute(due.figure, at);
    } catch (error) {
      return this.#postpone(lease, due, error);
    }
    this.#count(value === null ? 'suppressed' : 'computed');
    await onStep?.('computed');
    while (!(await this.#write(lease, due, { value, at })));
    await onStep?.('committed');
  }

  async #postpone(lease: HeldLease, { no }: DueFigure, error: unknown): Promise<void> {
    const { clock, report } = this.#options;
    this.#count('failed');
    if (!isUnavailable(error)) report(error);
    await lease.transaction((tx) => postponeFigure(tx, no, new Date(clock.now() + RETRY_PAUSE)));
  }

  /** Evaluates some of the conditions on a figure; true once none is left. */
  #write(lease: HeldLease, { no, before }: DueFigure, figure: ComputedFigure): Promise<boolean> {
    const { onStep } = this.#options;
    const work = async (tx: Transaction): Promise<boolean> => {
      const { value, at } = figure;
      const conditions = value === null ? [] : await lockConditions(tx, no, value, BATCH);
      const evaluated = conditions.flatMap((watched) => {
        const evaluation = evaluate(watched.condition, figure, before, HOUR);
        return evaluation === null ? [] : [{ ...watched, ...evaluation, no: watched.definition.no, at }];
      });
      await updateConditions(tx, evaluated);
      const isDone = conditions.length < BATCH;
      if (isDone) await updateFigure(tx, no, figure, new Date(at + HOUR));
      await appendPrivateEntries(tx, evaluated.flatMap(crossingEntries), at);
      await onStep?.('written');
      return isDone;
    };
    return lease.transaction(work, { timeout: TIMEOUT });
  }
}

/** The private entry of a condition that was crossed into; none for others. */
function crossingEntries({ definition, target, at, ...evaluation }: EvaluatedCondition): NewPrivateEntry[] {
  const crossing = crossingOf(target, evaluation, at);
  if (crossing === null) return [];
  return [{ watcherId: definition.id, action: 'crossed', data: { ...definition, crossing } }];
}
