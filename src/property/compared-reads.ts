// Reads of homes to compare: around a wide radius they wait in the queue of expensive queries.

import type { Principal } from '../access/tiers/tiers.ts';
import { abortableDatabase, type Database } from '../postgres/client/database.ts';
import type { AnalyticsQueue } from '../search/summaries/analytics-queue.ts';

export interface ComparedReads {
  /** For records of homes that are known. */
  readonly database: Database;
  /** For homes around a place. */
  readonly nearby: Database;
}

/** Miles or kilometres. */
export const DEFAULT_RADIUS = 5;

interface ComparingCall {
  readonly caller: Pick<Principal, 'account'>;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  readonly query: { readonly maxRadius?: number | undefined };
}

const REMEDY = `Request a smaller maxRadius: up to ${DEFAULT_RADIUS} there is nothing to wait for.`;

/**
 * Gives the reads to an answer. The nearest homes are found by an index of places, which spares none that is of another kind or
 * size: where few are alike, all within the radius are read, and in a wide one those are all of a metropolis. Ordinary ones never
 * wait, as pages of searches do not.
 */
export function withComparedReads<T>(
  { database, analytics }: { readonly database: Database; readonly analytics: AnalyticsQueue },
  call: ComparingCall,
  answer: (reads: ComparedReads) => Promise<T>,
): Promise<T> {
  const { maxRadius = DEFAULT_RADIUS } = call.query;
  if (maxRadius <= DEFAULT_RADIUS) return answer({ database, nearby: database });
  const queue = analytics.database({ caller: call.caller.account, request: {}, remedy: REMEDY });
  return analytics.within(REMEDY, call.signal, (within) =>
    answer({ database, nearby: abortableDatabase(queue, within) }),
  );
}
