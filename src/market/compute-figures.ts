// Computation of figures that are not remembered: from the facts in memory, or by PostgreSQL.

import type { Sql } from '../postgres/client/database.ts';
import { Pace, SUMMARY_PACE } from '../search/engine/questions/pace.ts';
import type { Facts } from './facts/fact-writer.ts';
import { isHeldSearch } from './facts/held-columns.ts';
import type { FigureReads } from './market-scope.ts';
import type { ListingScope } from './store.ts';

/** Both ways to the same figures. */
interface FigureSources<T> {
  readonly fromFacts: (facts: Facts, pace: Pace) => Promise<T>;
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

/** In turns with the other costly scans of this process; null where PostgreSQL has to answer. */
async function answerFromFacts<T>(
  { facts, scan, signal }: FigureReads,
  scopes: readonly ListingScope[],
  answer: FigureSources<T>['fromFacts'],
): Promise<T | null> {
  const held = scopes.every(({ search }) => isHeldSearch(search)) ? await facts.current(signal) : null;
  if (held === null) return null;
  const pace = new Pace({ limits: SUMMARY_PACE, enter: scan, signal });
  try {
    return await answer(held, pace);
  } finally {
    pace.end();
  }
}
