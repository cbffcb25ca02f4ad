// Totals of searches: all results counted, or null where that takes too long.

import { Type } from 'typebox';
import { type Clock, pause } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { nullable } from '../../listings/record.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';

/** Milliseconds that a count may take; it runs beside the page. */
export const COUNT_DEADLINE = 1_000;
/** Milliseconds that it waits for a slot among expensive queries: a page is worth more now than its total later. */
export const COUNT_MAX_WAIT = 100;

export const TotalSchema = nullable(
  Type.Object(
    {
      value: Type.Integer(),
      relation: Type.Unsafe<'exact'>({ type: 'string', enum: ['exact'] }),
    },
    { description: 'All results, counted; null with `count=none`, and where `meta.totalNote` says why.' },
  ),
);

/** A member of `meta`. */
export const TotalNoteSchema = nullable(
  Type.String({
    description:
      'Why `total` is null although it was not declined: counting would have held up the page, or was not possible. Otherwise null.',
  }),
);

export interface Total {
  readonly value: number;
  readonly relation: 'exact';
}

export interface FoundTotal {
  readonly total: Total | null;
  /** Why there is no total although the search asked for one. */
  readonly note: string | null;
}

export const exactTotal = (value: number): FoundTotal => ({
  total: { value, relation: 'exact' },
  note: null,
});

export const NO_TOTAL: FoundTotal = { total: null, note: null };

const uncounted = (reason: string, remedy: string): FoundTotal => ({
  total: null,
  note: `The results are not counted, because ${reason}. Paging reaches all of them; ${remedy}.`,
});

const SOONER = 'a smaller place, or one status instead of several, is counted sooner';
const LATER = 'in a few seconds it may be possible again';

const TOO_SLOW = uncounted('that takes longer than a second', SOONER);
const TOO_BUSY = uncounted('too many expensive queries run at the moment', `${LATER}, and ${SOONER}`);
const IMPOSSIBLE = uncounted('the service cannot do that at the moment', LATER);

/** The total that the plan's `count` asks for. Rejects only for faults of this service. */
export async function findTotal(
  backend: Pick<SearchBackend, 'count'>,
  clock: Clock,
  search: ResolvedSearch,
): Promise<FoundTotal> {
  if (search.plan.count === 'none') return NO_TOTAL;
  const over = new AbortController();
  const signal = search.signal ? AbortSignal.any([search.signal, over.signal]) : over.signal;
  const late = pause(clock, COUNT_DEADLINE, over.signal).then(() => null);
  try {
    const count = await Promise.race([backend.count({ ...search, signal, maxWait: COUNT_MAX_WAIT }), late]);
    return count === null ? TOO_SLOW : exactTotal(count);
  } catch (error) {
    if (error instanceof Problem) return error.code === 'OVERLOADED' ? TOO_BUSY : IMPOSSIBLE;
    throw error;
  } finally {
    over.abort();
  }
}
