// Events in the inbox as tests store and see them, and the end of their pauses.

import type { PaymentSource } from '../../../src/billing/event-job.ts';
import { insertEvent } from '../../../src/billing/event-store.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

/** Stores an event that is signed well. */
export function storeEvent(
  database: Database,
  id: string,
  subjects: readonly string[],
  provider: PaymentSource['name'] = 'polar',
): Promise<boolean> {
  return database.write((sql) =>
    insertEvent(sql, { provider, id, type: 'customer.state_changed', subjects }),
  );
}

export interface EventState {
  readonly id: string;
  readonly isHandled: boolean;
  readonly attempts: number;
  /** Whether a process works on it. */
  readonly isClaimed: boolean;
  readonly error: string | null;
  /** Milliseconds until the next try, by the database's clock. */
  readonly wait: number | null;
}

export function eventStates(database: Database): Promise<readonly EventState[]> {
  return database.read(
    (sql) => sql<EventState[]>`
      select id, handled_at is not null as "isHandled", claim is not null as "isClaimed", attempts, last_error as error,
        extract(epoch from due_at - clock_timestamp())::float8 * 1000 as wait
      from billing_event order by no`,
  );
}

/**
 * Lets the pauses of all events end now, as if their time had passed. Claims end too only if that is said: whoever ends them again
 * and again lets no process come to an end.
 */
export async function endPauses(database: Database, { andClaims = false } = {}): Promise<void> {
  await database.write(
    (sql) => sql`
      with due as (
        update billing_event set due_at = clock_timestamp() - interval '1 second'
        where due_at is not null and (claim is null or ${andClaims})
      )
      select pg_notify('billing_events', '')`,
  );
}
