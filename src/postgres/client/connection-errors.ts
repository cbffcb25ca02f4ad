// Classes of database errors: a broken connection, an unavailable server, or a real fault.

import { Problem } from '../../lib/problem.ts';

/** The connection was lost or never made, so a read may be retried on another one. */
const BROKEN = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  '25006', // the server only reads by now: another one takes writes
  '57P01', // terminated by an administrator
  '57P02', // terminated because another process of the server crashed
  '57P03', // still starting, or already stopping
  '08000',
  '08003',
  '08006',
]);

/** SQLSTATE of a statement that took longer than allowed. */
const STATEMENT_TIMEOUT = '57014';

/** Classes of SQLSTATE (PostgreSQL, appendix A) and system errors after which a later attempt may succeed. */
const UNAVAILABLE_CLASSES = ['08', '28', '53', '58'];
const UNAVAILABLE = new Set([
  '3D000', // no such database
  STATEMENT_TIMEOUT,
  '25P03', // idle in a transaction for too long
  '25P04',
  'XX001', // damaged data
  'XX002',
  'EAGAIN',
  'EACCES',
  'EMFILE',
  'ENFILE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** Errors of sockets and files alike: they concern the database only while connecting. */
const SHARED_WITH_FILES = new Set(['ENOENT', 'EACCES', 'EMFILE', 'ENFILE']);

/** Whether the error means that the connection broke, not that the statement was wrong. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.has(codeOf(error));
}

/** SQLSTATE of the statement that PostgreSQL chose to end, of those that waited for one another. */
const DEADLOCK = '40P01';

/** Whether a read that failed so may be repeated: its connection broke, or a change of partitions and it waited for each other. */
export const isReadRepeatable = (error: unknown): boolean =>
  isBrokenConnection(error) || codeOf(error) === DEADLOCK;

/** Whether PostgreSQL reported the error, for a statement that it was running. */
export const isServerError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'PostgresError';

/** Whether a pooler refused a setting that a connection begins with. */
export const isRefusedStartup = (error: unknown): boolean =>
  error instanceof Error &&
  /unsupported startup parameter/i.test(
    `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
  );

/** Whether PostgreSQL stopped the statement because it took longer than allowed. */
export const isStatementTimeout = (error: unknown): error is Error =>
  error instanceof Error && [codeOf(error), codeOf(error.cause)].includes(STATEMENT_TIMEOUT);

/** A 503 for an error that means the database is unavailable; any other error unchanged. */
export function translateError(error: unknown): unknown {
  const code = codeOf(error);
  const sqlClass = /^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : '';
  const unavailable = BROKEN.has(code) || UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.includes(sqlClass);
  return unavailable ? databaseUnavailable(error) : error;
}

/** The 503 for a failure that a client can wait out; the cause is for the log. */
export function databaseUnavailable(cause: unknown): Problem {
  return new Problem(
    'DATABASE_UNAVAILABLE',
    'The database cannot answer at the moment. Try again in a few seconds.',
    { headers: { 'retry-after': '2' }, cause },
  );
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  const ofFile = SHARED_WITH_FILES.has(error.code) && 'syscall' in error && error.syscall !== 'connect';
  return ofFile ? '' : error.code;
}
