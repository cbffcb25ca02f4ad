// Rest of a request body that nobody reads: discarded, so that the client gets the response that came before its end.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';

/** Bytes that are discarded at most; the connection of a client that sends more is closed while it sends. */
const MAX_BYTES = 8 * 1_048_576;
/** Milliseconds for the rest to arrive. */
const TIMEOUT_MS = 3_000;

/**
 * Sends the body of a response at once, and ends the response when the request has arrived as well. Closing a connection
 * with unread bytes would reset it, and most clients then report a broken pipe in place of the response.
 */
export function endAfterRequest(
  response: ServerResponse,
  body: string | Buffer | undefined,
  clock: Clock,
): void {
  if (body === undefined) response.flushHeaders();
  else response.write(body);
  // A body that is too long to be discarded is not waited for.
  if (Number(response.req.headers['content-length'] ?? 0) > MAX_BYTES) response.end();
  else discard(response.req, clock, () => response.end());
}

function discard(request: IncomingMessage, clock: Clock, onDone: () => void): void {
  let bytes = 0;
  const finish = (): void => {
    cancel();
    request.off('data', count).off('end', finish).off('close', finish);
    onDone();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) finish();
  };
  const cancel = clock.after(TIMEOUT_MS, finish);
  request.on('data', count).once('end', finish).once('close', finish);
  request.resume();
}
