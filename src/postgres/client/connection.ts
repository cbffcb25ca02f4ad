// Connection to PostgreSQL through the driver; it can be cut off at any moment.

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Clock } from '../../lib/clock.ts';
import type { ConnectionTarget } from './connection-url.ts';
import { createSql, type Sql } from './sql.ts';
import { VALUE_TYPES } from './value-types.ts';

/** The same inside a transaction. Anything written with it is kept or dropped as a whole. */
export interface Transaction extends Sql {
  /** Runs a part of the transaction that may fail alone: what it wrote is undone and its error comes out. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

export interface ConnectionSettings {
  readonly applicationName: string;
  /** Milliseconds the server lets one statement take; 0 is no limit. */
  readonly statementTimeout: number;
  /** The same for statements that are worth a short while only. */
  readonly briefTimeout: number;
  /** True for a connection that is never closed for being idle or old: its session holds a lock or a channel. */
  readonly lasting?: boolean;
  readonly onNotice?: (message: string) => void;
  readonly onNotification?: (channel: string, payload: string) => void;
  readonly onClose?: () => void;
}

/** Whether PostgreSQL plans a statement for the values of each run, or once for any values; `brief`: the former, and stops early. */
export type Planning = 'each' | 'once' | 'brief';

const FOR_EACH = { plan_cache_mode: 'force_custom_plan', enable_seqscan: 'on' };

/**
 * A plan made for any value serves rare and common values alike badly: only who knows better asks for one. It stays when
 * its tables grow, so it may not be one that reads them whole because they were small.
 */
export const PLANNING: Readonly<Record<Planning, Readonly<Record<string, string>>>> = {
  each: FOR_EACH,
  once: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' },
  brief: FOR_EACH,
};

/** Records are wide and looked up once each: to remember them for the next row would copy every one of them. */
export const NOT_REMEMBERED = { enable_memoize: 'off' };

/** Seconds. */
const CONNECT_TIMEOUT = 2;
const IDLE_TIMEOUT = 600;

export interface Connection {
  readonly sql: Sql;
  readonly planning: Planning;
  /** Says how statements are planned from now on; goes out with the next of them. Not within a transaction. */
  plan(planning: Planning): void;
  /** Why it could not be told so, which is why what was to follow failed; null where it could. */
  readonly refusal: unknown;
  /** True once the connection was lost or could not be made. It then stays so: whoever needs one opens another. */
  readonly gone: boolean;
  /** Cuts the connection off, without waiting: what is under way fails. */
  destroy(): void;
  /** Ends it after what is under way, at the latest after that many seconds. */
  end(seconds: number): Promise<void>;
}

/**
 * Prepares a connection; the first statement opens it. It lives as long as its socket: the driver's own way of
 * connecting again is not used, since it may spin, mix up half-sent messages, or run the rest of a broken
 * transaction outside of it.
 */
export function openConnection(target: ConnectionTarget, settings: ConnectionSettings): Connection {
  const socket = singleSocket(target, () => retire());
  const onclose = () => {
    retire();
    settings.onClose?.();
  };
  // The driver's types do not know its `socket` option.
  const options = { ...driverOptions(target, settings), socket: socket.open, onclose };
  const driver = postgres(options);
  const sql = createSql(driver);
  // Once the driver is ending it refuses every further statement at once, where it would otherwise let it wait.
  const retire = () => {
    socket.cut();
    void driver.end({ timeout: 0 });
  };
  let planning: Planning = 'each';
  let refusal: unknown = null;
  return {
    sql,
    get planning() {
      return planning;
    },
    plan(asked) {
      if (asked === planning) return;
      planning = asked;
      const timeout = asked === 'brief' ? settings.briefTimeout : settings.statementTimeout;
      const values = { ...PLANNING[asked], statement_timeout: timeout };
      const changes = Object.entries(values).map(([name, value]) => `set ${name} to ${value}`);
      sql.unsafe(changes.join('; ')).catch((error: unknown) => {
        refusal = error;
        retire();
      });
    },
    get refusal() {
      return refusal;
    },
    get gone() {
      return socket.gone();
    },
    destroy: retire,
    async end(seconds) {
      // Without a timeout the driver would wait for ever on a connection that is already lost.
      await driver.end({ timeout: seconds });
      socket.cut();
    },
  };
}

interface SingleSocket {
  readonly open: () => Socket;
  readonly cut: () => void;
  readonly gone: () => boolean;
}

/** One socket and no other. It is of our making because the driver has no means of its own to drop one that hangs. */
function singleSocket(target: ConnectionTarget, onOver: () => void): SingleSocket {
  let socket: Socket | undefined;
  let gone = false;
  return {
    open() {
      if (gone || socket !== undefined) {
        onOver();
        throw Object.assign(new Error('The database connection is gone'), { code: 'CONNECTION_CLOSED' });
      }
      // Known to be over before the driver tells anyone that a statement failed.
      socket = connectSocket(target).on('error', onOver);
      return socket;
    },
    cut() {
      gone = true;
      socket?.destroy();
    },
    gone: () => gone,
  };
}

function connectSocket(target: ConnectionTarget): Socket {
  const { host, port } = target;
  if (host.startsWith('/')) return connect(join(host, `.s.PGSQL.${port}`));
  // The driver reads the names from the socket to check the server's certificate against.
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
    idle_timeout: settings.lasting === true ? 0 : IDLE_TIMEOUT,
    ...(settings.lasting === true ? { max_lifetime: null } : {}),
    // Asking for the array types would be the one statement whose failure nobody could catch.
    fetch_types: false,
    types: VALUE_TYPES,
    connection: {
      application_name: settings.applicationName,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      statement_timeout: settings.statementTimeout,
      ...NOT_REMEMBERED,
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

/**
 * Commits when `work` resolves and rolls back when it throws. The driver's own frame is not used: when the connection
 * breaks it writes to a socket that is gone, which ends the process (postgres.js 3.4.9).
 */
export async function transact<T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
  statementTimeout?: number,
): Promise<T> {
  const { sql } = connection;
  const limit = statementTimeout === undefined ? '' : `; set local statement_timeout = ${statementTimeout}`;
  await sql.unsafe(`begin${limit}`);
  const result = await work(transactionOn(sql)).catch(async (error: unknown) => {
    // On a lost connection the server has rolled back already.
    if (!connection.gone) await sql.unsafe('rollback');
    throw error;
  });
  const { command } = await sql.unsafe('commit');
  // PostgreSQL answers so, without an error, when a statement had failed and `work` went on as if it had not.
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: one of its statements had failed');
  return result;
}

function transactionOn(sql: Sql): Transaction {
  let number = 0;
  const savepoint: Transaction['savepoint'] = async (work) => {
    const name = `part_${++number}`;
    await sql.unsafe(`savepoint ${name}`);
    try {
      return await work();
    } catch (error) {
      await sql.unsafe(`rollback to savepoint ${name}`);
      throw error;
    }
  };
  return Object.assign(sql, { savepoint });
}

/** A time by the server's clock; `infinity`: none. */
export type ServerTime = Date | 'infinity';

/** Milliseconds after which the clock is read again: in a minute two clocks drift apart by a few milliseconds. */
const FRESH = 60_000;

interface Reading {
  /** Wall-clock milliseconds of the server, at some moment between question and answer. */
  readonly time: number;
  /** Our monotonic time when the answer had come. */
  readonly received: number;
}

export class ServerClock {
  readonly #clock: Clock;
  /** Each connection leads to one server, and nobody knows whether the next leads to the same. */
  readonly #readings = new WeakMap<Connection, Reading>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The time that the server's clock shows at a moment of our monotonic clock, or a little earlier: by no more than a
   * round trip. Holds whatever the difference of the two clocks, as long as the server's is not set within a minute.
   */
  async timeAt(connection: Connection, moment: number): Promise<ServerTime> {
    if (moment === Number.POSITIVE_INFINITY) return 'infinity';
    const known = this.#readings.get(connection);
    const isFresh = known !== undefined && this.#clock.monotonic() - known.received < FRESH;
    const { time, received } = isFresh ? known : await this.#read(connection);
    return new Date(time + Math.floor(moment - received));
  }

  /** To be called when a deadline was missed: the server's clock may have been set. */
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
