// Database: reads, writes and transactions, each with a deadline.

import { type Clock, keepAlive, pause, systemClock } from '../../lib/clock.ts';
import { unlessAborted, withDeadline } from '../../lib/deadline.ts';
import {
  type Connection,
  type ConnectionSettings,
  openConnection,
  type Planning,
  ServerClock,
  type ServerTime,
  type Transaction,
  transact,
} from './connection.ts';
import { databaseUnavailable, isBrokenConnection, isServerError, translated } from './connection-errors.ts';
import { type ConnectionTarget, parseDatabaseUrl } from './connection-url.ts';
import { createPool, type Lease, type PoolStatus } from './pool.ts';
import type { Sql } from './sql.ts';

export type { ServerTime, Transaction } from './connection.ts';
export type { Sql, SqlFragment } from './sql.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`, or with `?host=/folder` for a socket. */
  readonly url?: string;
  /** Instead of a URL: the socket's folder, as the embedded server gives it. */
  readonly socket?: {
    readonly host: string;
    readonly database: string;
    readonly user: string;
    readonly password?: string;
  };
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** Milliseconds for one operation, waiting for a connection included; 0 is no limit (for commands). */
  readonly timeout?: number;
  /** Milliseconds for one statement of a brief read; default 30. */
  readonly briefTimeout?: number;
  readonly clock?: Clock;
  readonly onNotice?: (message: string) => void;
}

export interface OperationOptions {
  /** Milliseconds for this operation instead of the database's own; 0 is no limit. */
  readonly timeout?: number;
}

export interface ReadOptions extends OperationOptions {
  /**
   * 'once': the statements have one best plan whatever their values, so that each connection makes it once and need not
   * plan again, which takes PostgreSQL longer than to run most that read a page. 'brief': what is worth a few milliseconds
   * only, after which PostgreSQL stops by itself, at the cost of no connection. Default 'each'.
   */
  readonly planned?: Planning;
  /** As it aborts, the read rejects with its reason and its connection is cut, by which PostgreSQL knows to stop. */
  readonly signal?: AbortSignal;
}

/** A connection outside the pool, for what holds on to one session: a listener, a migration. Ends when it breaks. */
export type DedicatedConnection = Connection;

export interface Database {
  readonly clock: Clock;
  /**
   * Runs statements that change nothing, on one connection. Tried once more when the connection broke, so `work`
   * must bear being called twice.
   */
  read<T>(work: (sql: Sql) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** Runs one statement that changes rows. Never tried again: after a 503 the change may or may not have been made. */
  write<T>(work: (sql: Sql) => Promise<T>, options?: OperationOptions): Promise<T>;
  /**
   * Runs one statement that undoes itself past its deadline, by the SQL function `require_before`: after a 503 because of
   * time nothing has been done, and nothing will be. Never tried again: where the connection broke, nobody knows.
   */
  writeByDeadline<T>(
    work: (sql: Sql, deadline: ServerTime) => Promise<T>,
    options?: Pick<ReadOptions, 'planned'>,
  ): Promise<T>;
  /** Runs a transaction: committed when `work` resolves, rolled back when it throws. Never tried again. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: OperationOptions): Promise<T>;
  /** The version, such as '18.4'. Throws a sentence when the server is older than this service needs. */
  serverVersion(): Promise<string>;
  status(): PoolStatus;
  dedicated(settings?: Pick<ConnectionSettings, 'onNotification' | 'onClose'>): DedicatedConnection;
  /** Lets running work finish for at most `drainTimeout` milliseconds, then cuts every connection. */
  close(drainTimeout?: number): Promise<void>;
}

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_TIMEOUT = 2_900;
const BRIEF_TIMEOUT = 30;
/** The server gives up this many milliseconds before we do, so that a slow statement costs no connection. */
const HEAD_START = 300;
/** The share of an operation's time that is kept for its commit and its answer, where a statement has a deadline. */
const COMMIT_SHARE = 0.25;
/** The share of an operation's time that may go into waiting for a connection. */
const WAITING_SHARE = 0.6;
const LONGEST_WAIT = 60_000;
const RETRY_PAUSE = 50;
const RECOUNT_TIMEOUT = 1_000;
const OLDEST_SERVER = 150_000;

/** Prepares a database; nothing is connected before the first operation. */
export function openDatabase(options: DatabaseOptions): Database {
  const target = targetOf(options);
  const clock = options.clock ?? systemClock;
  const timeout = options.timeout ?? DEFAULT_TIMEOUT;
  const settings: ConnectionSettings = {
    applicationName: options.applicationName ?? 'freehold',
    statementTimeout: statementTimeout(timeout),
    briefTimeout: options.briefTimeout ?? BRIEF_TIMEOUT,
    ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
  };
  const pool = createPool<Connection>({
    size: options.maxConnections ?? DEFAULT_CONNECTIONS,
    clock,
    open: () => openConnection(target, settings),
    isUsable: (connection) => !connection.gone,
    destroy: (connection) => connection.destroy(),
  });
  const serverClock = new ServerClock(clock);

  async function attempt<T>({ work, planned, signal }: Job<T>, end: number): Promise<T> {
    const left = end - clock.monotonic();
    const suits = (connection: Connection) => connection.planning === planned;
    const lease = await pool.take(Math.min(left * WAITING_SHARE, LONGEST_WAIT), suits);
    if (lease === undefined)
      throw databaseUnavailable(new Error('No database connection became free in time'));
    if (signal?.aborted) {
      lease.release();
      throw signal.reason;
    }
    try {
      lease.connection.plan(planned);
      const begun = beforeDeadline(clock, end, () => work(lease.connection, end));
      const result = await (signal ? unlessAborted(signal, begun) : begun);
      lease.release();
      return result;
    } catch (met) {
      const error = lease.connection.refusal ?? met;
      // After a missed deadline the connection's state is unknown: it may hang for good.
      const isOver = error instanceof DeadlineMissed || signal?.aborted;
      if (isOver || lease.connection.gone || isBrokenConnection(error)) lease.discard();
      else if (isServerError(met)) void releaseRecounted(clock, lease);
      else lease.release();
      throw error;
    }
  }

  async function perform<T>(job: Job<T>, { limit, again }: { limit: number; again: boolean }): Promise<T> {
    const end = limit === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + limit;
    try {
      return await attempt(job, end);
    } catch (error) {
      if (!again || !isBrokenConnection(error) || clock.monotonic() + RETRY_PAUSE >= end)
        throw translated(error);
    }
    await keepAlive(() => pause(clock, RETRY_PAUSE));
    return attempt(job, end).catch((error: unknown) => {
      throw translated(error);
    });
  }

  function begin<T>(
    work: (tx: Transaction) => Promise<T>,
    own: number | undefined,
  ): (c: Connection) => Promise<T> {
    return (connection) => transact(connection, work, own === undefined ? undefined : statementTimeout(own));
  }

  /** A statement with a limit of its own needs a transaction to carry it; otherwise it goes out alone. */
  function statements<T>(
    work: (sql: Sql) => Promise<T>,
    own: number | undefined,
  ): (c: Connection) => Promise<T> {
    return own === undefined ? async ({ sql }) => work(sql) : begin(work, own);
  }

  function inTime<T>(work: (sql: Sql, deadline: ServerTime) => Promise<T>): Job<T>['work'] {
    return async (connection, end) => {
      const deadline = await serverClock.timeAt(connection, end - timeout * COMMIT_SHARE);
      return work(connection.sql, deadline).catch((error: unknown) => {
        serverClock.forget(connection);
        throw error;
      });
    };
  }

  return {
    clock,
    read: (work, own) =>
      perform(
        { work: statements(work, own?.timeout), planned: own?.planned ?? 'each', signal: own?.signal },
        { limit: own?.timeout ?? timeout, again: true },
      ),
    write: (work, own) =>
      perform(
        { work: statements(work, own?.timeout), planned: 'each' },
        { limit: own?.timeout ?? timeout, again: false },
      ),
    writeByDeadline: (work, own) =>
      perform({ work: inTime(work), planned: own?.planned ?? 'each' }, { limit: timeout, again: false }),
    transaction: (work, own) =>
      perform(
        { work: begin(work, own?.timeout), planned: 'each' },
        { limit: own?.timeout ?? timeout, again: false },
      ),
    async serverVersion() {
      return this.read(async (sql) =>
        checkVersion(
          await sql`select current_setting('server_version') as text,
        current_setting('server_version_num')::int as number`,
        ),
      );
    },
    status: () => pool.status(),
    dedicated: (hooks) =>
      openConnection(target, { ...settings, statementTimeout: 0, lasting: true, ...hooks }),
    async close(drainTimeout = 5_000) {
      await Promise.all(pool.close().map((connection) => connection.end(drainTimeout / 1000)));
    },
  };
}

/** What is done on a connection, and how its statements are planned. */
interface Job<T> {
  /** `end`: monotonic milliseconds at which nobody waits for it any more. */
  readonly work: (connection: Connection, end: number) => Promise<T>;
  readonly planned: Planning;
  readonly signal?: AbortSignal | undefined;
}

class DeadlineMissed extends Error {
  override readonly name = 'DeadlineMissed';
  readonly code = 'ETIMEDOUT';
}

function beforeDeadline<T>(clock: Clock, end: number, work: () => Promise<T>): Promise<T> {
  if (end === Number.POSITIVE_INFINITY) return work();
  const milliseconds = Math.max(0, end - clock.monotonic());
  const onTimeout = () => new DeadlineMissed('The database did not answer in time');
  return withDeadline({ clock, milliseconds, onTimeout }, work);
}

/**
 * After an error of the server the driver still counts the rows that came before it, and the next result would have holes:
 * a statement that succeeds ends that.
 */
async function releaseRecounted(clock: Clock, lease: Lease<Connection>): Promise<void> {
  const end = clock.monotonic() + RECOUNT_TIMEOUT;
  await beforeDeadline(clock, end, () => lease.connection.sql`select 1`).then(
    () => lease.release(),
    () => lease.discard(),
  );
}

function statementTimeout(timeout: number): number {
  return timeout === 0 ? 0 : Math.max(1, timeout - HEAD_START);
}

function checkVersion(rows: readonly Record<string, unknown>[]): string {
  const { text, number } = rows[0] ?? {};
  if (Number(number) >= OLDEST_SERVER) return String(text);
  throw new Error(`The database server is PostgreSQL ${String(text)}; Freehold needs version 15 or newer.`);
}

function targetOf({ url, socket }: DatabaseOptions): ConnectionTarget {
  if (url !== undefined) return parseDatabaseUrl(url);
  if (socket === undefined) throw new Error('openDatabase needs a url or a socket');
  return { ...socket, port: 5432, encryption: 'disable' };
}

/** The same database with one signal for all reads: once it aborts, they reject with its reason and PostgreSQL stops the statements. */
export function abortableDatabase(database: Database, signal: AbortSignal): Database {
  const both = (other: AbortSignal | undefined): AbortSignal =>
    other === undefined ? signal : AbortSignal.any([signal, other]);
  return {
    ...database,
    read: (work, options) => database.read(work, { ...options, signal: both(options?.signal) }),
  };
}
