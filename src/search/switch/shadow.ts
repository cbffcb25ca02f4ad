// Shadow of the engine: some of its answers are computed again, by it and by PostgreSQL, of one and the same state.

import { headSequence } from '../../changes/change-store.ts';
import { type Clock, withDeadline } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import type { Database } from '../../postgres/client/database.ts';
import { readSnapshot } from '../../postgres/client/snapshot.ts';
import { toJson } from '../../postgres/client/value-types.ts';
import type { Generation } from '../engine/columns/segment.ts';
import type { SearchEngine } from '../engine/lifecycle/search-engine.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import type { Question } from './backend-switch.ts';
import { isSameAnswer } from './same-answer.ts';

export interface ShadowOptions {
  readonly clock: Clock;
  readonly database: Database;
  readonly engine: Pick<SearchEngine, 'generation' | 'waitFor' | 'distrust'>;
  /** Backends that read records, or everything, from this database. */
  readonly engineOver: (generation: Generation, database: Database) => SearchBackend;
  readonly sqlOver: (database: Database) => SearchBackend;
  /** One answer in so many is compared; 0: none. */
  readonly rate: number;
  readonly report: (error: unknown) => void;
  /**
   * `skipped`: the engine was not at the state of the snapshot, another comparison was under way, or PostgreSQL refuses the
   * question as too dear.
   */
  readonly onOutcome: (outcome: ShadowOutcome) => void;
}

export type ShadowOutcome = 'same' | 'different' | 'skipped' | 'failed';

export interface Shadow {
  /** Notes an answer of the engine; it is compared once others have had their turn. */
  note(search: ResolvedSearch, question: Question<unknown>): void;
  /** Resolves when no comparison is under way. */
  idle(): Promise<void>;
  /** Ends the comparison that is under way. */
  stop(): Promise<void>;
}

/** Milliseconds. */
const TIMEOUT = 10_000;
const CATCH_UP_LIMIT = 250;
/** Of an answer, in the log. */
const TOLD_CHARACTERS = 4_000;

export function createShadow(options: ShadowOptions): Shadow {
  const { rate, report, onOutcome } = options;
  let noted = 0;
  let comparing: Promise<void> | null = null;
  /** Of the last comparison. */
  let ending = new AbortController();

  async function run(search: ResolvedSearch, question: Question<unknown>): Promise<void> {
    ending = new AbortController();
    const { signal } = ending;
    await eventLoop.task().yield();
    try {
      onOutcome(await compare(options, { ...search, signal }, question));
    } catch (error) {
      const isRefused = signal.aborted || (error instanceof Problem && error.code === 'INVALID_PARAMETER');
      onOutcome(isRefused ? 'skipped' : 'failed');
      if (!isRefused) report(error);
    } finally {
      comparing = null;
    }
  }

  return {
    note(search, question) {
      noted++;
      if (rate === 0 || noted % rate !== 0) return;
      if (comparing === null) comparing = run(search, question);
      else onOutcome('skipped');
    },
    idle: async () => {
      await comparing;
    },
    async stop() {
      ending.abort();
      await comparing;
    },
  };
}

/** Words of listings are read after their changes, so that only what differs twice is wrong. */
async function compare(
  options: ShadowOptions,
  search: ResolvedSearch,
  question: Question<unknown>,
): Promise<ShadowOutcome> {
  const first = await compareOnce(options, search, question);
  if (typeof first === 'string') return first;
  const second = await compareOnce(options, search, question);
  if (typeof second === 'string') return second;
  options.report(second);
  options.engine.distrust('An answer was not that of PostgreSQL: the log has both');
  return 'different';
}

/** An error that tells both answers, if they differ. */
function compareOnce(
  { database, clock, engine, engineOver, sqlOver }: ShadowOptions,
  search: ResolvedSearch,
  question: Question<unknown>,
): Promise<'same' | 'skipped' | Error> {
  const limit = { clock, milliseconds: CATCH_UP_LIMIT, onTimeout: () => new Error('The engine is behind') };
  const compareIn = async (snapshot: Database) => {
    const head = await snapshot.read(headSequence);
    await withDeadline(limit, (signal) => engine.waitFor(head, signal)).catch(() => {});
    const generation = engine.generation();
    if (generation?.sequence !== head) return 'skipped';
    const found = await question(engineOver(generation, snapshot), search);
    const expected = await question(sqlOver(snapshot), search);
    if (isSameAnswer(found, expected)) return 'same';
    return new Error(`At change ${head}, ${difference(search, found, expected)}`);
  };
  return readSnapshot(database, compareIn, { timeout: TIMEOUT });
}

function difference({ plan, resolved }: ResolvedSearch, found: unknown, expected: unknown): string {
  const told = (answer: unknown): string => toJson(answer).slice(0, TOLD_CHARACTERS);
  const areas = told(resolved.areaNos);
  return `the search engine found ${told(found)}, and PostgreSQL ${told(expected)}, by the plan ${told(plan)} in areas ${areas}`;
}
