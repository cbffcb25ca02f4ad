// Database errors, told apart: a broken connection, a server that cannot serve now, or a real fault.
import { Problem } from '../../lib/problem.ts';

/** The connection was lost or never made, so a read may be tried again on another one. */
const BROKEN = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  '57P01', // terminated by an administrator
  '57P02', // terminated because another process of the server crashed
  '57P03', // still starting, or already stopping
  '08000',
  '08003',
  '08006',
]);

/** Took longer than allowed. */
const STOPPED = '57014';

/** Whole classes of SQLSTATE (PostgreSQL, appendix A) and system errors that say "not now". */
const UNAVAILABLE_CLASSES = ['08', '28', '53', '58'];
const UNAVAILABLE = new Set([
  '3D000', // no such database
  STOPPED,
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

/** Errors that files have in common with sockets: of the database only while connecting to it. */
const ALSO_OF_FILES = new Set(['ENOENT', 'EACCES', 'EMFILE', 'ENFILE']);

/** Seconds after which a client may try again. */
const RETRY_AFTER = '2';

/** Whether the error means that the connection broke, not that the statement was wrong. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.has(codeOf(error));
}

/** Whether PostgreSQL itself reported the error, for a statement that it was running. */
export const isServerError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'PostgresError';

/** Whether PostgreSQL stopped the statement because it took longer than it was allowed to. */
export const isStoppedStatement = (error: unknown): error is Error =>
  error instanceof Error && (codeOf(error) === STOPPED || codeOf(error.cause) === STOPPED);

/** A 503 in place of an error that only says that the database cannot serve now; any other error as it is. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  const sqlClass = /^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : '';
  const unavailable = BROKEN.has(code) || UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.includes(sqlClass);
  return unavailable ? databaseUnavailable(error) : error;
}

/** The 503 for every database failure a client may simply wait out; the cause is for the log. */
export function databaseUnavailable(cause: unknown): Problem {
  return new Problem(
    'DATABASE_UNAVAILABLE',
    'The database cannot answer at the moment. Try again in a few seconds.',
    {
      headers: { 'Retry-After': RETRY_AFTER },
      cause,
    },
  );
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  const ofFile = ALSO_OF_FILES.has(error.code) && 'syscall' in error && error.syscall !== 'connect';
  return ofFile ? '' : error.code;
}
