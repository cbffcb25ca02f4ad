// Poolers before a server: one that gives the transactions of a connection to changing sessions is found by what it does.

import { withDeadline } from '../../lib/clock.ts';
import { isRefusedStartup, translateError } from '../client/connection-errors.ts';
import type { Database, DedicatedConnection } from '../client/database.ts';

/** The address leads to a pooler that this service cannot use; the message says why and contains the remedy. */
export class UnusablePooler extends Error {
  override readonly name = 'UnusablePooler';
}

const SHARES =
  'DATABASE_URL leads to a pooler that gives each transaction another session of PostgreSQL (PgBouncer calls that ' +
  'pool_mode = transaction). Notifications, locks and settings belong to a session, so changes would be missed and two processes ' +
  'would do the work of one. Set its pool_mode to session for this database, or connect to PostgreSQL directly.';
const REFUSES =
  'DATABASE_URL leads to a pooler that refuses settings of a session. For PgBouncer, whose pool_mode must be session, add ' +
  'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, enable_memoize, enable_seqscan, plan_cache_mode, jit ' +
  'and set them for the role instead, as docs/operations.md says; or connect to PostgreSQL directly.';
const FULL =
  'DATABASE_URL leads to a pooler that has no second connection for this process. Raise its pool size above DATABASE_CONNECTIONS and ' +
  'ten more for each process, or connect to PostgreSQL directly.';

/** Milliseconds until a connection that is not answered is taken for one that waits for another's. */
const WAIT = 3_000;
/** Milliseconds for everything. */
const LIMIT = 20_000;
/** Other users of a pooler may take a session between two steps: a few rounds, each in the other order. */
const ROUNDS = 4;

/** Throws UnusablePooler where the database is reached through a pooler that takes a session away from its connection. */
export async function requireSessions(database: Database): Promise<void> {
  const onTimeout = () => new UnusablePooler(FULL);
  const shares = await withDeadline({ clock: database.clock, milliseconds: LIMIT, onTimeout }, () =>
    sharesSessions(database),
  ).catch((error: unknown) => {
    throw isRefusedStartup(error) ? new UnusablePooler(REFUSES) : translateError(error);
  });
  if (shares) throw new UnusablePooler(SHARES);
}

/**
 * Whether one connection is served by several sessions, or several by one. Two connections begin transactions at the same time, so
 * that each has a session; they end them, and begin again in the other order. Of a pool that hands out the session that was given
 * back last, or first, one of them gets another one then. A connection without a pooler, or with a session to itself, never does.
 */
async function sharesSessions(database: Database): Promise<boolean> {
  // Of several servers the one that takes writes is found first: a connection by itself looks for no other.
  await database.read((sql) => sql.unsafe('select 1'));
  const [first, second] = [new Observed(database.dedicated()), new Observed(database.dedicated())];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = round % 2 === 0 ? [first, second] : [second, first];
      await one.begin();
      // Where there is only one session, the other connection waits for it.
      const beginning = other.begin();
      const isLate = await Promise.race([
        beginning.then(() => false),
        new Promise<boolean>((resolve) => database.clock.after(WAIT, () => resolve(true))),
      ]);
      if (isLate) await one.commit();
      await beginning;
      await other.commit();
      if (!isLate) await one.commit();
      await other.begin();
      await other.commit();
      const sessions = [...first.sessions, ...second.sessions];
      if (first.sessions.size > 1 || second.sessions.size > 1 || new Set(sessions).size < 2) return true;
    }
    return false;
  } finally {
    first.close();
    second.close();
  }
}

/** A connection, with the process ids of the sessions that have served it. */
class Observed {
  readonly sessions = new Set<number>();
  readonly #connection: DedicatedConnection;

  constructor(connection: DedicatedConnection) {
    this.#connection = connection;
  }

  async begin(): Promise<void> {
    const { sql } = this.#connection;
    await sql.unsafe('begin');
    // Not prepared: the session that comes next does not know it.
    const [row] = await sql.unsafe('select pg_backend_pid() as pid');
    this.sessions.add(Number(row?.pid));
  }

  async commit(): Promise<void> {
    await this.#connection.sql.unsafe('commit');
  }

  close(): void {
    this.#connection.destroy();
  }
}

/** Settings that a session should have, of which a pooler may have dropped some; each as it would be set for a role. */
export async function findDroppedSettings(database: Database): Promise<string[]> {
  const [row] = await database.read(
    (sql) => sql<{ planning: string; memoize: string; jit: string; idle: string }[]>`
      select current_setting('plan_cache_mode') as planning, current_setting('enable_memoize') as memoize,
        current_setting('jit') as jit, current_setting('idle_in_transaction_session_timeout') as idle`,
  );
  return [
    ...(row?.planning === 'force_custom_plan' ? [] : ['plan_cache_mode = force_custom_plan']),
    ...(row?.memoize === 'off' ? [] : ['enable_memoize = off']),
    ...(row?.jit === 'off' ? [] : ['jit = off']),
    ...(row?.idle === '0' ? ["idle_in_transaction_session_timeout = '15s'"] : []),
  ];
}
