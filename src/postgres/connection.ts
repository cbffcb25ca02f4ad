// Owns the driver: one connection to PostgreSQL, made again by itself after a loss, that can be cut off at any moment.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { COLUMN_TYPES } from './column-types.ts';
import type { ConnectionTarget } from './connection-url.ts';

/** A tagged template that runs SQL: sql`select ${value}`. Every value becomes a parameter. */
export type Sql = postgres.ISql<Record<never, never>>;
/** The same inside a transaction. Anything written with it is kept or dropped as a whole. */
export type Transaction = postgres.TransactionSql<Record<never, never>>;
/** A part of a statement, made with the same template. */
export type SqlFragment = postgres.Fragment;

export interface ConnectionSettings {
  readonly applicationName: string;
  /** Milliseconds the server lets one statement take; 0 is no limit. */
  readonly statementTimeout: number;
  /** True for a session that holds something (a lock, a channel): it ends with its connection, never opens another. */
  readonly single?: boolean;
  readonly onNotice?: (message: string) => void;
  readonly onNotification?: (channel: string, payload: string) => void;
  readonly onClose?: () => void;
}

/** Seconds. */
const CONNECT_TIMEOUT = 2;
const IDLE_TIMEOUT = 600;
const LONGEST_BACKOFF = 0.5;

export interface Connection {
  readonly sql: postgres.Sql;
  /** Cuts the connection off for good, without waiting: what is under way fails. */
  destroy(): void;
  /** Ends it after what is under way, at the latest after that many seconds. */
  end(seconds: number): Promise<void>;
}

/** Prepares a connection; the first statement opens it. */
export function openConnection(target: ConnectionTarget, settings: ConnectionSettings): Connection {
  const line = socketFactory(target, settings.single ?? false);
  // The driver's types do not know its `socket` option.
  const options = { ...driverOptions(target, settings), socket: line.open };
  const sql = postgres(options);
  const end = async (seconds: number) => {
    // Without a timeout the driver would wait for ever on a connection that is already lost.
    await sql.end({ timeout: seconds });
    line.cut();
  };
  return {
    sql,
    destroy() {
      line.cut();
      void end(0);
    },
    end,
  };
}

/** The driver is given sockets of our making, because it has no means of its own to drop one that hangs. */
function socketFactory(target: ConnectionTarget, single: boolean): { open: () => Socket; cut: () => void } {
  const sockets = new Set<Socket>();
  let over = false;
  return {
    open() {
      if (over) throw connectionGone();
      over = single;
      const socket = connectSocket(target);
      // The driver attaches its own handler a moment later; an error before that must not end the process.
      socket.on('error', () => {});
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    cut() {
      over = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function connectionGone(): Error {
  return Object.assign(new Error('The connection is gone'), { code: 'CONNECTION_DESTROYED' });
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
    ...(settings.single === true ? { idle_timeout: 0, max_lifetime: null } : { idle_timeout: IDLE_TIMEOUT }),
    backoff: (attempt: number) => Math.min(0.02 * 2 ** attempt, LONGEST_BACKOFF),
    types: COLUMN_TYPES,
    connection: {
      application_name: settings.applicationName,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      statement_timeout: settings.statementTimeout,
      // A plan made for any value serves rare and common values alike badly: plan for the values at hand.
      plan_cache_mode: 'force_custom_plan',
    },
    onnotice: (notice: postgres.Notice) => settings.onNotice?.(notice.message ?? ''),
    ...(settings.onNotification === undefined ? {} : { onnotify: settings.onNotification }),
    ...(settings.onClose === undefined ? {} : { onclose: settings.onClose }),
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
