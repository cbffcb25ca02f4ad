// Evaluation of market conditions: each figure is computed once an hour, by one process, and what crosses into a condition is
// written to the log of changes.

import { appendPrivateEntries, type NewPrivateEntry } from '../../changes/change-store.ts';
import { type Clock, HOUR, MINUTE } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import { isUnavailable } from '../../lib/problem.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { WorkLease, WorkTaken } from '../../postgres/client/work-lease.ts';
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

/** Evaluates what is due, now and until it is stopped. Of all processes that share a database, one does it. */
export function startMarketEvaluation(options: EvaluationOptions): Pick<PeriodicWork, 'stop'> {
  const evaluator = new MarketEvaluator(options);
  const work = startPeriodicWork({
    clock: options.clock,
    report: options.report,
    pause: PAUSE,
    work: (isStopped) => evaluator.run(isStopped),
  });
  return {
    async stop() {
      await work.stop();
      await evaluator.release();
    },
  };
}

interface EvaluatedCondition extends WatchedCondition, Evaluation {
  /** Milliseconds. */
  readonly at: number;
}

/** Evaluates what is due, round by round. */
export class MarketEvaluator {
  readonly #options: EvaluationOptions;
  readonly #lease: WorkLease;
  readonly #count: (outcome: string) => void;
  #isHolder = false;
  #oldestDue: number | null = null;

  constructor(options: EvaluationOptions) {
    const { database, clock, metrics } = options;
    this.#options = options;
    this.#lease = new WorkLease(database, 'market conditions');
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

  /** One round, while this process holds the lease. */
  async run(isStopped: () => boolean = () => false): Promise<void> {
    const { database, clock } = this.#options;
    this.#oldestDue = await database.read(findOldestDue);
    if (this.#oldestDue === null || this.#oldestDue > clock.now()) return;
    while (!isStopped()) {
      this.#isHolder = await this.#lease.acquire();
      if (!this.#isHolder) return;
      const due = await database.read((sql) => findDueFigure(sql, new Date(clock.now())));
      if (due === null) break;
      await this.#evaluate(due);
    }
    await deleteUnusedFigures(database, BATCH);
    this.#oldestDue = await database.read(findOldestDue);
  }

  async release(): Promise<void> {
    if (this.#isHolder) await this.#lease.release().catch(this.#options.report);
  }

  async #evaluate(due: DueFigure): Promise<void> {
    const { clock, compute, onStep } = this.#options;
    const at = clock.now();
    let value: number | null;
    try {
      value = await compute(due.figure, at);
    } catch (error) {
      return this.#postpone(due, error);
    }
    this.#count(value === null ? 'suppressed' : 'computed');
    await onStep?.('computed');
    try {
      while (!(await this.#write(due, { value, at })));
      await onStep?.('committed');
    } catch (error) {
      if (!(error instanceof WorkTaken)) throw error;
    }
  }

  async #postpone({ no }: DueFigure, error: unknown): Promise<void> {
    const { database, clock, report } = this.#options;
    this.#count('failed');
    if (!isUnavailable(error)) report(error);
    await database.write((sql) => postponeFigure(sql, no, new Date(clock.now() + RETRY_PAUSE)));
  }

  /** Evaluates some of the conditions on a figure; true once none is left. */
  #write({ no, before }: DueFigure, figure: ComputedFigure): Promise<boolean> {
    const { database, onStep } = this.#options;
    const work = async (tx: Transaction): Promise<boolean> => {
      await this.#lease.hold(tx);
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
    return database.transaction(work, { timeout: TIMEOUT });
  }
}

/** The private entry of a condition that was crossed into; none for others. */
function crossingEntries({ definition, target, at, ...evaluation }: EvaluatedCondition): NewPrivateEntry[] {
  const crossing = crossingOf(target, evaluation, at);
  if (crossing === null) return [];
  return [{ watcherId: definition.id, action: 'crossed', data: { ...definition, crossing } }];
}
