// Why the counting server does not count, in words that anybody may read.

import { ErrorReply } from '@redis/client';

/**
 * A sentence without the address of the server and without secrets: both can be in what the server and the system say, since a server
 * repeats a command that it does not know with its arguments.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The counting server failed';
  if (error instanceof ErrorReply)
    return `The counting server refused a command (${/^[A-Z]+/.exec(error.message)?.[0] ?? 'unknown'})`;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `The counting server cannot be reached (${code})`;
}
