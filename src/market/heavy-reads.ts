// Owns how many statements of figures run at once: the rest wait in line, so that searches always find a connection.

import { Bulkhead, BulkheadFull } from '../lib/bulkhead.ts';
import type { Clock } from '../lib/clock.ts';
import { type Deadline, withDeadline } from '../lib/deadline.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/database.ts';

/** The share of the connections that figures may hold. */
const SHARE = 1 / 3;
/** Statements in line; one answer takes one, and one more for its groups or for each area that is compared. */
const LINE = 200;
/** Milliseconds for a statement, waiting in line included. */
const PATIENCE = 8_000;
/** Seconds until the line is likely to be shorter. */
const RETRY_AFTER = '5';

/** The database with its reads in line. They throw OVERLOADED where the line is full, or too slow. */
export function heavyReads(database: Database): Database {
  const places = new Bulkhead({
    places: Math.max(1, Math.floor(database.status().size * SHARE)),
    line: LINE,
  });
  return {
    ...database,
    read: (work, options) =>
      withDeadline(deadline(database.clock, options?.signal), (signal) =>
        places.run(signal, () => database.read(work, { ...options, signal })),
      ).catch((error: unknown) => {
        throw error instanceof BulkheadFull ? overloaded(error) : error;
      }),
  };
}

const deadline = (clock: Clock, parent: AbortSignal | undefined): Deadline => ({
  ...{ clock, milliseconds: PATIENCE, late: () => overloaded() },
  ...(parent && { parent }),
});

const overloaded = (cause?: Error): Problem =>
  new Problem('OVERLOADED', 'More figures are asked for than can be worked out at the moment.', {
    headers: { 'retry-after': RETRY_AFTER },
    ...(cause && { cause }),
  });
