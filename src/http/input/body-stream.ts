// Large bodies, read as they arrive: with a bound on their size, on pauses, and on the whole time.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, withDeadline } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';

/** Milliseconds that a client may pause, and for the whole body. */
const PAUSE_MS = 10_000;
const TOTAL_MS = 300_000;

const streaming = new WeakMap<Socket, ServerResponse>();

/** Lets the body of a request take its time. Throws PAYLOAD_TOO_LARGE where its head says that it is too large. */
export function markStreaming(response: ServerResponse, maxBytes: number = Number.POSITIVE_INFINITY): void {
  const { headers, socket } = response.req;
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  streaming.set(socket, response);
}

/** Whether the request that arrives on this socket is one whose reader minds the time. What is left of a body after its answer is read by nobody. */
export function isStreaming(socket: Socket): boolean {
  const response = streaming.get(socket);
  return response !== undefined && !response.headersSent && !response.req.complete && !response.req.destroyed;
}

export interface BodyBounds {
  readonly clock: Clock;
  readonly maxBytes: number;
}

/**
 * The chunks of a body. Throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, or INVALID_REQUEST where the client has left. The request
 * stays open when its reader stops early, so that it still gets an answer.
 */
export async function* readBody(
  request: IncomingMessage,
  { clock, maxBytes }: BodyBounds,
): AsyncGenerator<Buffer, void, void> {
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const end = clock.monotonic() + TOTAL_MS;
  let bytes = 0;
  for (;;) {
    const milliseconds = Math.max(1, Math.min(PAUSE_MS, end - clock.monotonic()));
    const next = await withDeadline({ clock, milliseconds, onTimeout: tooSlow }, () => nextOf(chunks));
    if (next.done === true) return;
    bytes += next.value.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield next.value;
  }
}

async function nextOf(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  try {
    return await chunks.next();
  } catch (cause) {
    throw new Problem('INVALID_REQUEST', 'The connection closed before the request was complete.', { cause });
  }
}

const tooSlow = (): Problem =>
  new Problem('REQUEST_TIMEOUT', 'The body took too long to arrive.', { headers: { connection: 'close' } });

const tooLarge = (maxBytes: number): Problem =>
  new Problem(
    'PAYLOAD_TOO_LARGE',
    `The body is too large: this endpoint takes at most ${maxBytes.toLocaleString('en-US')} bytes.`,
    { headers: { connection: 'close' } },
  );
