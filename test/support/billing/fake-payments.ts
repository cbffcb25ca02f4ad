// Payment service in memory, for tests of the job behind the inbox: it counts questions, and fails or hangs on demand.

import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import type { EventJobOptions, PaymentSource } from '../../../src/billing/event-job.ts';
import { insertEvent } from '../../../src/billing/event-store.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

export interface FakePayments extends PaymentSource {
  /** Questions so far: subjects that were resolved, and references that were renewed. */
  readonly resolved: string[];
  readonly renewed: string[];
  /** Names that get no answer, or none before `release`. */
  readonly failing: Set<string>;
  readonly hanging: Set<string>;
  /** References of a subject; default: its id. */
  readonly references: Map<string, readonly string[]>;
  release(): void;
}

export function fakePayments(name: PaymentSource['name'] = 'polar'): FakePayments {
  let waiting: (() => void)[] = [];
  const fake: FakePayments = {
    ...{ name, resolved: [], renewed: [], failing: new Set(), hanging: new Set(), references: new Map() },
    async resolveSubject(subject) {
      fake.resolved.push(subject);
      await answer(subject);
      return fake.references.get(subject) ?? [subject.slice(subject.indexOf(':') + 1)];
    },
    async renew(reference) {
      fake.renewed.push(reference);
      await answer(reference);
    },
    release() {
      fake.hanging.clear();
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
  async function answer(about: string): Promise<void> {
    if (fake.hanging.has(about)) await new Promise<void>((resolve) => waiting.push(resolve));
    if (fake.failing.has(about))
      throw new ProviderUnavailable(new Error(`api.example answered 503 to ${about}`));
  }
  return fake;
}

/** Options of a job that asks `source`; its errors end the test, and pauses are as short as they can be. */
export function jobOptions(database: Database, source: PaymentSource): EventJobOptions {
  return {
    ...{ database, source, random: () => 0, countEvent: () => {} },
    report(error) {
      throw error;
    },
  };
}

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
