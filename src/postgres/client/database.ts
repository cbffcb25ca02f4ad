// Database: reads, writes and transactions, each with a deadline.

import { type Clock, keepAlive, pause, systemClock, unlessAborted, withDeadline } from '../../lib/clock.ts';
import {
  type Connection,
  type ConnectionSettings,
  openConnection,
  type Planning,
  runTransaction,
  ServerClock,
  type ServerTime,
  type Transaction,
} from './connection.ts';
import {
  databaseUnavailable,
  isBrokenConnection,
  isReadRepeatable,
  isServerError,
  translateError,
} from './connection-errors.ts';
import { type ConnectionTarget, parseDatabaseUrl } from './connection-url.ts';
import { createPool, type Lease, type PoolStatus } from './pool.ts';
import { Servers } from './servers.ts';
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
  /** Milliseconds that a transaction may wait for its next statement, as it does when this process is stopped; default 15,000. */
  readonly idleTransactionTimeout?: number;
  readonly clock?: Clock;
  readonly onNotice?: (message: string) => void;
}

export interface OperationOptions {
  /** Milliseconds for this operation instead of the database's own; 0 is no limit. */
  readonly timeout?: number;
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
  /** Runs a transaction: committed when `work` resolves, rolled back when it throws. Never retried. */
  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    options?: OperationOptions & Pick<ReadOptions, 'planned'>,
  ): Promise<T>;
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
/** The server gives up this many milliseconds before we do, so that a slow statement costs no connection. */
const HEAD_START = 300;
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

  async function run<T>(operation: Operation<T>, retries = 0): Promise<T> {
    const timeout = operation.timeout ?? defaultTimeout;
    const end = timeout === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + timeout;
    for (let left = retries; ; left--) {
      try {
        return await attempt(operation, end);
      } catch (caught) {
        const error = caught instanceof NotConnected ? caught.cause : caught;
        // Nothing was sent, and another server may be the one that takes writes by now: all are asked until the time is over.
        const isElsewhere = caught instanceof NotConnected && servers.count > 1;
        const mayRepeat = isElsewhere || (left > 0 && isReadRepeatable(error));
        const isRetried = mayRepeat && clock.monotonic() + RETRY_PAUSE < end;
        if (isRetried) await keepAlive(() => pause(clock, RETRY_PAUSE));
        // A busy process can be late.
        if (!isRetried || clock.monotonic() >= end) throw translateError(error);
      }
    }
  }

  const inTransaction =
    <T>(work: (tx: Transaction) => Promise<T>, timeout?: number): Work<T> =>
    (connection) =>
      runTransaction(connection, work, timeout === undefined ? undefined : statementTimeout(timeout));

  /** A timeout of its own needs a transaction to carry it; otherwise a statement goes out alone. */
  const statements = <T>(work: (sql: Sql) => Promise<T>, timeout?: number): Work<T> =>
    timeout === undefined ? ({ sql }) => work(sql) : inTransaction(work, timeout);

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
    read: (work, { timeout, ...how } = {}) => run({ work: statements(work, timeout), timeout, ...how }, 1),
    write: (work, { timeout, ...how } = {}) => run({ work: statements(work, timeout), timeout, ...how }),
    writeByDeadline: (work, how = {}) => run({ work: withServerDeadline(work), ...how }),
    transaction: (work, { timeout, ...how } = {}) =>
      run({ work: inTransaction(work, timeout), timeout, ...how }),
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

/** `end`: monotonic milliseconds at which the operation times out. */
type Work<T> = (connection: Connection, end: number) => Promise<T>;

interface Operation<T> {
  readonly work: Work<T>;
  readonly timeout?: number | undefined;
  readonly planned?: Planning;
  readonly signal?: AbortSignal;
}

/** No connection was made, so nothing was sent. */
class NotConnected extends Error {
  override readonly name = 'NotConnected';

  constructor(cause: unknown) {
    super('No connection to the database was made', { cause });
  }
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
 * a statement that succeeds resets the count.
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
