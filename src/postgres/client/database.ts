// Database: reads, writes and transactions, each with a deadline.

import { type Clock, keepAlive, pause, systemClock, unlessAborted } from '../../lib/clock.ts';
import {
  beforeDeadline,
  DeadlineMissed,
  NEVER,
  NotConnected,
  READ_RETRIES,
  type Retries,
  TRANSACTION_RETRIES,
} from './attempts.ts';
import {
  type Connection,
  type ConnectionSettings,
  openConnection,
  type Planning,
  ServerClock,
  type ServerTime,
} from './connection.ts';
import {
  databaseUnavailable,
  isBrokenConnection,
  isServerError,
  translateError,
} from './connection-errors.ts';
import { type ConnectionTarget, parseDatabaseUrl } from './connection-url.ts';
import { createPool, type Lease, type PoolStatus } from './pool.ts';
import { Servers } from './servers.ts';
import type { Sql } from './sql.ts';
import { inTransaction, statements, statementTimeout, type Transaction, type Work } from './transaction.ts';

export type { ServerTime } from './connection.ts';
export type { Sql, SqlFragment } from './sql.ts';
export type { Transaction } from './transaction.ts';

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
  /** Milliseconds that a transaction may wait for its next statement, as it does when this process is stopped; default 15,000. */
  readonly idleTransactionTimeout?: number;
  readonly clock?: Clock;
  readonly onNotice?: (message: string) => void;
}

export interface OperationOptions {
  /** Milliseconds for this operation instead of the database's own; 0 is no limit. */
  readonly timeout?: number;
}

export interface TransactionOptions extends OperationOptions, Pick<ReadOptions, 'planned'> {
  /** Milliseconds that this transaction may wait for its next statement, instead of the database's own limit. */
  readonly idleTimeout?: number;
  /**
   * Says that `work` does nothing but its statements, and returns what it found: it changes nothing outside of the transaction, in
   * memory neither. Then the whole transaction is tried again where its connection broke or its server takes no writes any more.
   */
  readonly repeatable?: boolean;
}

export interface ReadOptions extends OperationOptions {
  /**
   * `once`: the statements have one best plan whatever their values, so each connection plans them once: planning takes longer
   * than running most that read one row. Default `each`.
   */
  readonly planned?: Planning;
  /** When it aborts, the read rejects with its reason and its connection is closed, which makes PostgreSQL stop. */
  readonly signal?: AbortSignal;
}

/** A connection outside the pool, for a session that lasts: a listener, a migration. It ends when it breaks. */
export type DedicatedConnection = Connection;

export interface Database {
  readonly clock: Clock;
  /** Runs statements that change nothing, on one connection. Retried once if the connection broke, so `work` may run twice. */
  read<T>(work: (sql: Sql) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** Runs one statement that changes rows. Never retried: after a 503 the change may or may not have been made. */
  write<T>(
    work: (sql: Sql) => Promise<T>,
    options?: OperationOptions & Pick<ReadOptions, 'planned'>,
  ): Promise<T>;
  /**
   * Runs one statement that undoes itself past its deadline, by the SQL function `require_before`: after a 503 because of
   * time nothing was or will be changed. Never retried: if the connection broke, nobody knows.
   */
  writeByDeadline<T>(
    work: (sql: Sql, deadline: ServerTime) => Promise<T>,
    options?: Pick<ReadOptions, 'planned'>,
  ): Promise<T>;
  /**
   * Runs a transaction: committed when `work` resolves, rolled back when it throws. One that is `repeatable` is tried up to five
   * times within its timeout, after pauses, where it cannot have been committed: its connection was lost or refused, its server is
   * stopping, starting or has become one that only reads. Any other runs once, and none is tried again once its COMMIT was sent:
   * after a 503 it may or may not have been made.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The version, such as '18.4'. Throws a sentence if the server is older than this service needs. */
  serverVersion(): Promise<string>;
  status(): PoolStatus;
  dedicated(settings?: Pick<ConnectionSettings, 'onNotification' | 'onClose'>): DedicatedConnection;
  /** Lets running work finish for at most `drainTimeout` milliseconds, then closes every connection. */
  close(drainTimeout?: number): Promise<void>;
}

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_TIMEOUT = 2_900;
const IDLE_TRANSACTION_TIMEOUT = 15_000;
/** Of a pooled connection, whose session keeps plans and caches that grow: it is not leased again after that. */
const LIFETIME = 45 * 60_000;
/** Shares of an operation's time: reserved for commit and answer of a statement with a deadline; at most spent waiting for a connection. */
const COMMIT_SHARE = 0.25;
const WAITING_SHARE = 0.6;
const MAX_WAIT = 60_000;
const RETRY_PAUSE = 50;
const RECOUNT_TIMEOUT = 1_000;
const OLDEST_SERVER = 150_000;

/** Prepares a database; nothing is connected before the first operation. */
export function openDatabase(options: DatabaseOptions): Database {
  const { clock = systemClock, timeout: defaultTimeout = DEFAULT_TIMEOUT } = options;
  const servers = new Servers(targetOf(options));
  const settings: ConnectionSettings = {
    applicationName: options.applicationName ?? 'freehold',
    statementTimeout: statementTimeout(defaultTimeout),
    idleTransactionTimeout: options.idleTransactionTimeout ?? IDLE_TRANSACTION_TIMEOUT,
    ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
  };
  const openedAt = new WeakMap<Connection, number>();
  const pool = createPool<Connection>({
    size: options.maxConnections ?? DEFAULT_CONNECTIONS,
    clock,
    open: () => {
      const connection = openConnection(servers, settings);
      openedAt.set(connection, clock.monotonic());
      return connection;
    },
    isUsable: (connection) =>
      !connection.closed && clock.monotonic() - (openedAt.get(connection) ?? 0) < LIFETIME,
    destroy: (connection) => connection.destroy(),
  });
  const serverClock = new ServerClock(clock);

  async function attempt<T>({ work, planned = 'each', signal }: Operation<T>, end: number): Promise<T> {
    const suits = (connection: Connection) => connection.planning === planned;
    const lease = await pool.take(Math.min((end - clock.monotonic()) * WAITING_SHARE, MAX_WAIT), suits);
    if (lease === undefined)
      throw databaseUnavailable(new Error('No database connection became free in time'));
    const { connection } = lease;
    if (signal?.aborted) {
      lease.release();
      throw signal.reason;
    }
    try {
      connection.plan(planned);
      const running = beforeDeadline(clock, end, () => work(connection, end));
      const result = await (signal ? unlessAborted(signal, running) : running);
      lease.release();
      return result;
    } catch (caught) {
      const error = connection.planError ?? caught;
      // After a missed deadline the connection's state is unknown: it may hang for good.
      const isAbandoned = error instanceof DeadlineMissed || signal?.aborted;
      if (isAbandoned || connection.closed || isBrokenConnection(error)) lease.discard();
      else if (isServerError(caught)) void releaseRecounted(clock, lease);
      else lease.release();
      if (!connection.wasUsable && isBrokenConnection(error)) throw new NotConnected(error);
      throw error;
    }
  }

  async function run<T>(operation: Operation<T>, { retries, isRepeatable }: Retries = NEVER): Promise<T> {
    const timeout = operation.timeout ?? defaultTimeout;
    const end = timeout === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + timeout;
    for (let done = 0; ; done++) {
      try {
        return await attempt(operation, end);
      } catch (caught) {
        const error = caught instanceof NotConnected ? caught.cause : caught;
        // Nothing was sent, and another server may be the one that takes writes by now: all are asked until the time is over.
        const isElsewhere = caught instanceof NotConnected && servers.count > 1;
        const mayRepeat = isElsewhere || (done < retries && isRepeatable(error));
        const wait = isElsewhere ? RETRY_PAUSE : RETRY_PAUSE * 2 ** done;
        const isRetried = mayRepeat && clock.monotonic() + wait < end;
        if (isRetried) await keepAlive(() => pause(clock, wait));
        // A busy process can be late.
        if (!isRetried || clock.monotonic() >= end) throw translateError(error);
      }
    }
  }

  const withServerDeadline =
    <T>(work: (sql: Sql, deadline: ServerTime) => Promise<T>): Work<T> =>
    async (connection, end) => {
      const deadline = await serverClock.timeAt(connection, end - defaultTimeout * COMMIT_SHARE);
      return work(connection.sql, deadline).catch((error: unknown) => {
        serverClock.forget(connection);
        throw error;
      });
    };

  return {
    clock,
    read: (work, { timeout, ...how } = {}) =>
      run({ work: statements(work, timeout), timeout, ...how }, READ_RETRIES),
    write: (work, { timeout, ...how } = {}) => run({ work: statements(work, timeout), timeout, ...how }),
    writeByDeadline: (work, how = {}) => run({ work: withServerDeadline(work), ...how }),
    transaction(work, { timeout, idleTimeout, planned = 'each', repeatable = false } = {}) {
      let isCommitSent = false;
      const onCommit = () => {
        isCommitSent = true;
      };
      const once = inTransaction(work, { timeout, idleTimeout, onCommit });
      return run(
        { work: once, timeout, planned },
        {
          retries: repeatable ? TRANSACTION_RETRIES : 0,
          isRepeatable: (error) => !isCommitSent && isBrokenConnection(error),
        },
      );
    },
    async serverVersion() {
      const [row] = await this.read(
        (sql) => sql<{ text: string; number: number }[]>`select current_setting('server_version') as text,
          current_setting('server_version_num')::int as number`,
      );
      if (row !== undefined && row.number >= OLDEST_SERVER) return row.text;
      throw new Error(`The database server is PostgreSQL ${row?.text}; Freehold needs version 15 or newer.`);
    },
    status: () => pool.status(),
    dedicated: (hooks) =>
      openConnection(servers, { ...settings, statementTimeout: 0, persistent: true, ...hooks }),
    async close(drainTimeout = 5_000) {
      await Promise.all(pool.close().map((connection) => connection.end(drainTimeout / 1000)));
    },
  };
}

interface Operation<T> {
  readonly work: Work<T>;
  readonly timeout?: number | undefined;
  readonly planned?: Planning;
  readonly signal?: AbortSignal;
}

/**
 * After an error of the server the driver still counts the rows that came before it, and the next result would have holes:
 * a statement that succeeds resets the count.
 */
async function releaseRecounted(clock: Clock, lease: Lease<Connection>): Promise<void> {
  const end = clock.monotonic() + RECOUNT_TIMEOUT;
  await beforeDeadline(clock, end, () => lease.connection.sql`select 1`).then(
    () => lease.release(),
    () => lease.discard(),
  );
}

function targetOf({ url, socket }: DatabaseOptions): ConnectionTarget {
  if (url !== undefined) return parseDatabaseUrl(url);
  if (socket === undefined) throw new Error('openDatabase needs a url or a socket');
  return { ...socket, port: 5432, encryption: 'disable' };
}

/** The same database with one signal for all reads: once it aborts, they reject with its reason and PostgreSQL stops the statements. */
export function abortableDatabase(database: Database, signal: AbortSignal): Database {
  return {
    ...database,
    read: (work, options) =>
      database.read(work, {
        ...options,
        signal: options?.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
      }),
  };
}
