// Computation of figures that are not remembered: from the facts in memory, or by PostgreSQL.

import { eventLoop, type Task } from '../lib/scheduler.ts';
import type { Sql } from '../postgres/client/database.ts';
import { isHeldSearch } from './facts/held-columns.ts';
import type { HeldFacts } from './facts/market-facts.ts';
import type { FigureReads } from './market-scope.ts';
import type { ListingScope } from './store.ts';

/** Both ways to the same figures. */
interface FigureSources<T> {
  readonly fromFacts: (facts: HeldFacts, task: Task) => Promise<T>;
  readonly fromDatabase: (sql: Sql) => Promise<T>;
}

/** From the facts in memory, or by PostgreSQL where the facts are not there, or not enough to filter by. */
export async function computeFigures<T>(
  reads: FigureReads,
  scopes: readonly ListingScope[],
  { fromFacts, fromDatabase }: FigureSources<T>,
): Promise<T> {
  const found = await answerFromFacts(reads, scopes, fromFacts);
  return found ?? (await reads.database.read(fromDatabase));
}

/** As an expensive task of this process, if it is one; null where PostgreSQL has to answer. */
async function answerFromFacts<T>(
  { facts, signal, scan = (work) => eventLoop.run({ signal }, work) }: FigureReads,
  scopes: readonly ListingScope[],
  answer: FigureSources<T>['fromFacts'],
): Promise<T | null> {
  const held = scopes.every(({ search }) => isHeldSearch(search)) ? await facts.current(signal) : null;
  if (held === null) return null;
  return scan((task) => answer(held, task));
}
