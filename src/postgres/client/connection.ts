// Connection to PostgreSQL through the driver, and the clock of its server.

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Clock } from '../../lib/clock.ts';
import type { ConnectionTarget } from './connection-url.ts';
import type { Servers } from './servers.ts';
import { createSql, type Sql } from './sql.ts';
import { VALUE_TYPES } from './value-types.ts';

export interface ConnectionSettings {
  readonly applicationName: string;
  /** Milliseconds the server lets one statement take; 0 is no limit. */
  readonly statementTimeout: number;
  /** Milliseconds the server lets a transaction wait for its next statement; then it ends the session, and with it the locks. */
  readonly idleTransactionTimeout: number;
  /** Never closed for being idle: its session holds a lock or a channel. */
  readonly persistent?: boolean;
  readonly onNotice?: (message: string) => void;
  readonly onNotification?: (channel: string, payload: string) => void;
  readonly onClose?: () => void;
}

/** `each`: PostgreSQL plans a statement for the values of each run; `once`: for any values. */
export type Planning = 'each' | 'once';

/**
 * A generic plan serves rare and common values alike badly, so only statements with one best plan ask for it. It outlives the
 * growth of its tables, so it must not scan them because they were small.
 */
export const PLANNING: Readonly<Record<Planning, Readonly<Record<string, string>>>> = {
  each: { plan_cache_mode: 'force_custom_plan', enable_seqscan: 'on' },
  once: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' },
};

/** Records are wide and looked up once each: memoize would copy every one of them. */
export const NO_MEMOIZE = { enable_memoize: 'off' };

/**
 * Short queries only: compiling one takes longer than running it. PostgreSQL goes by the cost of a plan, to which a scan adds ten billion
 * where scans are off.
 */
const NO_COMPILATION = { jit: 'off' };

/** Seconds. */
const CONNECT_TIMEOUT = 2;
const IDLE_TIMEOUT = 600;

export interface Connection {
  readonly sql: Sql;
  readonly planning: Planning;
  /** Sets how later statements are planned; sent with the next of them. Not within a transaction. */
  plan(planning: Planning): void;
  /** The error of the last `plan`, which is why the statements after it failed; null if it worked. */
  readonly planError: unknown;
  /** False as long as no statement can have reached a server. */
  readonly wasUsable: boolean;
  /** True once the connection was lost or could not be made; it stays so. */
  readonly closed: boolean;
  /** Closes the connection at once: running statements fail. */
  destroy(): void;
  /** Closes it after the running statements, or after that many seconds. */
  end(seconds: number): Promise<void>;
}

/**
 * Prepares a connection; the first statement opens it. It lives as long as its socket: the driver's own way of
 * connecting again may spin, mix up half-sent messages, or run the rest of a broken transaction outside of it.
 */
export function openConnection(servers: Servers, settings: ConnectionSettings): Connection {
  const target = servers.current;
  let wasUsable = false;
  let socket: Socket | undefined;
  let closed = false;
  let planning: Planning = 'each';
  let planError: unknown = null;
  const options = {
    ...driverOptions(target, settings),
    /** One socket and no other. The driver's types do not know the option; without it the driver cannot drop a socket that hangs. */
    socket() {
      if (closed || socket !== undefined) {
        destroy();
        throw Object.assign(new Error('The database connection is gone'), { code: 'CONNECTION_CLOSED' });
      }
      // Closed before the driver reports that a statement failed.
      socket = connectSocket(target).on('error', destroy);
      return socket;
    },
    /** The server names its parameters once it knows the account, before it takes statements. */
    onparameter(name: string, value: unknown) {
      if (closed) return;
      const isStandby = name === 'in_hot_standby' && value === 'on';
      if (!isStandby || target.mustWrite !== true) wasUsable = true;
      else {
        wasUsable = false;
        destroy();
      }
    },
    onclose() {
      destroy();
      settings.onClose?.();
    },
  };
  const driver = postgres(options);
  const sql = createSql(driver);
  function destroy(): void {
    if (!closed && !wasUsable) servers.pass(target);
    closed = true;
    socket?.destroy();
    // A driver that is ending refuses statements at once instead of letting them wait.
    void driver.end({ timeout: 0 });
  }
  return {
    sql,
    get planning() {
      return planning;
    },
    plan(requested) {
      if (requested === planning) return;
      planning = requested;
      const changes = Object.entries(PLANNING[requested]).map(([name, value]) => `set ${name} to ${value}`);
      sql.unsafe(changes.join('; ')).catch((error: unknown) => {
        planError = error;
        destroy();
      });
    },
    get planError() {
      return planError;
    },
    get wasUsable() {
      return wasUsable;
    },
    get closed() {
      return closed;
    },
    destroy,
    async end(seconds) {
      // Without a timeout the driver would wait for ever on a lost connection.
      await driver.end({ timeout: seconds });
      closed = true;
      socket?.destroy();
    },
  };
}

function connectSocket(target: ConnectionTarget): Socket {
  const { host, port } = target;
  if (host.startsWith('/')) return connect(join(host, `.s.PGSQL.${port}`));
  // The driver reads the host from the socket to check the server's certificate.
  return Object.assign(connect({ host, port, noDelay: true }), { host, port });
}

function driverOptions(target: ConnectionTarget, settings: ConnectionSettings) {
  const { host, port, database, user, password } = target;
  return {
    host,
    port,
    database,
    user,
    ...(password === undefined ? {} : { password }),
    ssl: encryption(target),
    max: 1,
    connect_timeout: CONNECT_TIMEOUT,
    idle_timeout: settings.persistent === true ? 0 : IDLE_TIMEOUT,
    // By its own lifetime the driver closes a connection between two statements of a transaction, of which it knows nothing.
    max_lifetime: null,
    // Nobody could catch a failure of the statement that fetches the array types.
    fetch_types: false,
    types: VALUE_TYPES,
    connection: {
      application_name: settings.applicationName,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      statement_timeout: settings.statementTimeout,
      idle_in_transaction_session_timeout: settings.idleTransactionTimeout,
      ...NO_MEMOIZE,
      ...NO_COMPILATION,
      ...PLANNING.each,
    },
    onnotice: (notice: postgres.Notice) => settings.onNotice?.(notice.message ?? ''),
    ...(settings.onNotification === undefined ? {} : { onnotify: settings.onNotification }),
  };
}

function encryption(target: ConnectionTarget): boolean | 'prefer' | 'require' | object {
  const { encryption: mode, rootCertificate } = target;
  if (mode === 'disable') return false;
  if (mode === 'prefer' || (mode === 'require' && rootCertificate === undefined)) return mode;
  const authority = rootCertificate === undefined ? {} : { ca: readFileSync(rootCertificate, 'utf8') };
  const anyName = mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined };
  return { ...authority, ...anyName, rejectUnauthorized: true };
}

/** A time by the server's clock; `infinity`: none. */
export type ServerTime = Date | 'infinity';

/** Milliseconds after which the clock is read again: in a minute two clocks drift apart by a few milliseconds. */
const READING_LIFETIME = 60_000;

interface Reading {
  /** Wall-clock milliseconds of the server, at some moment of the round trip. */
  readonly time: number;
  /** Our monotonic time at the end of the round trip. */
  readonly received: number;
}

/** Clock of the database server as its connections read it, for deadlines that PostgreSQL enforces by its own time. */
export class ServerClock {
  readonly #clock: Clock;
  /** By connection: two connections may lead to two servers. */
  readonly #readings = new WeakMap<Connection, Reading>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The time that the server's clock shows at a moment of our monotonic clock, or earlier by at most a round trip. Exact
   * whatever the two clocks differ by, unless the server's is set within a minute.
   */
  async timeAt(connection: Connection, moment: number): Promise<ServerTime> {
    if (moment === Number.POSITIVE_INFINITY) return 'infinity';
    const cached = this.#readings.get(connection);
    const isFresh = cached !== undefined && this.#clock.monotonic() - cached.received < READING_LIFETIME;
    const { time, received } = isFresh ? cached : await this.#read(connection);
    return new Date(time + Math.floor(moment - received));
  }

  /** Call this when a deadline was missed: the server's clock may have been set. */
  forget(connection: Connection): void {
    this.#readings.delete(connection);
  }

  async #read(connection: Connection): Promise<Reading> {
    const [row] = await connection.sql<{ now: string }[]>`select clock_timestamp() as now`;
    const reading = { time: Date.parse(row?.now ?? ''), received: this.#clock.monotonic() };
    this.#readings.set(connection, reading);
    return reading;
  }
}
