// Owns the writing of long answers: piece by piece, never more in memory than one, and no longer than somebody reads.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';

export interface PieceOptions {
  readonly clock: Clock;
  /** Writes the head; called once, when the first piece is there. */
  readonly open: () => void;
  /** Milliseconds that a piece may wait for the client before it is cut. */
  readonly readMs: number;
}

/**
 * Writes the pieces and ends the response. The next piece is asked for only when there is room for it. Resolves when the
 * last byte has left or the client has; then the generator has been told to end. Rejects with what the generator threw:
 * before the first piece the head is still unwritten, later the response is cut, so that nobody takes a part for the whole.
 */
export async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  { clock, open, readMs }: PieceOptions,
): Promise<void> {
  // An error that nobody listens to would end the process.
  response.on('error', () => {});
  let opened = false;
  try {
    // Who left before the first piece was asked for has nothing read for them.
    if (response.destroyed) return;
    for await (const piece of pieces) {
      if (response.destroyed) return;
      if (!opened) open();
      opened = true;
      if (!response.write(piece)) await drained(response, clock, readMs);
      if (response.destroyed) return;
    }
    if (!opened) open();
    response.end();
    if (!response.writableFinished) await drained(response, clock, readMs);
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  }
}

/** Resolves when there is room again, all is written, or the client has left; cuts one that does not read. */
function drained(response: ServerResponse, clock: Clock, readMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(readMs, () => response.destroy());
    const done = () => {
      cancel();
      for (const event of ['drain', 'finish', 'close']) response.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'finish', 'close']) response.once(event, done);
    if (response.destroyed) done();
  });
}
