// Reconciler of a source: when it is compared with a list of all its keys, in steps between the rounds of changes.

import { HOUR } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { WorkTaken } from '../../postgres/leases/work-lease.ts';
import type { SourceControl } from '../control-store.ts';
import { describeFailure } from '../replication-status.ts';
import { type KeyLists, LiveError, type Source } from '../source.ts';
import { NOTHING_COMPARED, type ReconcileParts, reconcile, type Step } from './reconcile.ts';
import {
  type Comparison,
  findComparison,
  type StoredComparison,
  writeComparison,
} from './reconcile-store.ts';

export interface ReconcilerOptions extends Omit<ReconcileParts, 'source' | 'hold'> {
  readonly source: Pick<Source, 'id' | 'records' | 'forget' | 'keys'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Called with each step of a comparison. */
  readonly onStep?: (outcome: Comparison) => void;
}

/** What the process knows that reads the source. */
export interface ReconcileTurn extends Pick<ReconcileParts, 'hold'> {
  readonly control: Pick<SourceControl, 'reconcileRequests' | 'acceptedRequest'>;
  /** When the first load was complete, RFC 3339; null: it is not. */
  readonly loadedAt: string | null;
  /** Milliseconds after which it ends for now. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A comparison under way. */
interface Running {
  readonly steps: AsyncGenerator<Step>;
  /** The number of the last request that it answers. */
  readonly request: number;
  readonly interval: number;
  outcome: Comparison;
}

/** Name of the failure of a list that is not believed. */
export const REFUSED = 'suspicious_keys';

const rfc3339 = (at: number): string => new Date(at).toISOString();

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #known: StoredComparison | null = null;
  #running: Running | null = null;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Loads what the last comparison stored, which may be of another process. */
  async start(): Promise<void> {
    const { database, source } = this.#options;
    this.#running = null;
    this.#known = await database.read((sql) => findComparison(sql, source.id));
  }

  /**
   * Compares if it is due or requested, or goes on with it, for some time. What fails is noted, and tried again after an hour. Returns
   * the milliseconds that it took, at most the limit. Throws WorkTaken.
   */
  async run(turn: ReconcileTurn): Promise<number> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    const taken = (): number => Math.min(turn.limit, clock.monotonic() - startedAt);
    try {
      this.#running ??= await this.#begin(turn);
      while (this.#running !== null && !turn.signal.aborted) {
        await this.#step(this.#running, turn);
        if (taken() === turn.limit) break;
      }
    } catch (error) {
      if (error instanceof WorkTaken) throw error;
      if (!turn.signal.aborted) await this.#fail(error, turn);
      this.#running = null;
    }
    return taken();
  }

  /** Null: nothing is to be done. */
  async #begin(turn: ReconcileTurn): Promise<Running | null> {
    const { source, clock, log } = this.#options;
    const { reconcileRequests: request, acceptedRequest } = turn.control;
    const { keys } = source;
    const answered = this.#known?.answered ?? 0;
    const isRequested = request > answered;
    if (keys === undefined && isRequested) await this.#answerUnsupported(request, turn);
    if (keys === undefined || turn.loadedAt === null) return null;
    if (!isRequested && clock.now() < this.#dueAt(keys, turn.loadedAt)) return null;
    log.info({ source: source.id }, 'The source is compared with a list of all its keys');
    const steps = reconcile({
      ...this.#options,
      source: { ...source, keys },
      hold: turn.hold,
      signal: turn.signal,
      accept: acceptedRequest !== null && acceptedRequest > answered,
      fetchAfter: this.#known?.fetchAfter ?? null,
    });
    const outcome = { ...NOTHING_COMPARED, startedAt: rfc3339(clock.now()) };
    return { steps, request, interval: keys.interval, outcome };
  }

  #dueAt(keys: KeyLists, loadedAt: string): number {
    if (this.#known === null) return Date.parse(loadedAt) + keys.interval;
    const dueAt = Date.parse(this.#known.dueAt);
    // What is due later than a list takes its turn was noted while our clock was ahead.
    return dueAt > this.#options.clock.now() + keys.interval ? 0 : dueAt;
  }

  async #step(running: Running, turn: ReconcileTurn): Promise<void> {
    const { source, metrics, log } = this.#options;
    const { value: step } = await running.steps.next();
    if (!step) {
      this.#running = null;
      return;
    }
    const { outcome, fetchAfter } = step;
    running.outcome = outcome;
    this.#options.onStep?.(outcome);
    // What was stopped on the way ends nothing more, and is no result.
    if (turn.signal.aborted) return;
    const isEnd = outcome.endedAt !== null;
    await this.#write(turn, outcome, {
      answered: isEnd ? running.request : undefined,
      fetchAfter,
      due: isEnd ? running.interval : undefined,
    });
    if (outcome.refused !== null) {
      metrics.failed(REFUSED);
      log.warn(
        { source: source.id, code: REFUSED, examples: outcome.examples },
        `Nothing was deleted of what the source no longer names. ${outcome.refused}`,
      );
    } else if (isEnd) {
      const { listed, missing, ended, fetched, left } = outcome;
      log.info(
        { source: source.id, listed, missing, ended, fetched, left },
        'The source was compared with a list of all its keys',
      );
    }
  }

  async #fail(error: unknown, turn: ReconcileTurn): Promise<void> {
    const { source, clock, log, metrics } = this.#options;
    const { code, detail } = describeFailure(error);
    log.warn({ source: source.id, code, err: error }, 'The source cannot be compared with all its keys');
    metrics.failed(code);
    const now = clock.now();
    const { outcome, request } = this.#running ?? {
      outcome: { ...NOTHING_COMPARED, startedAt: rfc3339(now) },
      request: turn.control.reconcileRequests,
    };
    const retryAfter = error instanceof LiveError ? (error.retryAfter ?? 0) : 0;
    // Without the database the next turn begins again.
    await this.#write(
      turn,
      { ...outcome, state: 'failed', endedAt: rfc3339(now), failure: code, detail },
      { answered: request, due: Math.max(HOUR, retryAfter) },
    ).catch((cause: unknown) => {
      if (cause instanceof WorkTaken) throw cause;
    });
  }

  #answerUnsupported(request: number, turn: ReconcileTurn): Promise<void> {
    const now = rfc3339(this.#options.clock.now());
    const outcome = { ...NOTHING_COMPARED, state: 'unsupported' as const, startedAt: now, endedAt: now };
    return this.#write(turn, outcome, { answered: request, due: 0 });
  }

  /** `due`: milliseconds until the next one by itself. What is not given stays as it is. */
  async #write(
    { hold }: Pick<ReconcileTurn, 'hold'>,
    outcome: Comparison,
    change: {
      readonly answered?: number | undefined;
      readonly fetchAfter?: string | null;
      readonly due?: number | undefined;
    },
  ): Promise<void> {
    const { database, source, clock } = this.#options;
    const known = this.#known;
    const due = change.due === undefined ? null : rfc3339(clock.now() + change.due);
    const stored: StoredComparison = {
      answered: change.answered ?? known?.answered ?? 0,
      dueAt: due ?? known?.dueAt ?? rfc3339(clock.now()),
      fetchAfter: change.fetchAfter === undefined ? (known?.fetchAfter ?? null) : change.fetchAfter,
      outcome,
    };
    await database.transaction(async (tx) => {
      await writeComparison(tx, source.id, stored);
      await hold(tx);
    });
    this.#known = stored;
  }
}
