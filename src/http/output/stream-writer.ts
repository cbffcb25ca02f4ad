// Stream writer: event streams and chunked bodies, with back-pressure, heartbeats, deadlines and disconnects.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { ServerSentEvent } from './reply.ts';

export interface StreamOptions {
  readonly clock: Clock;
  /** Writes the response head; called once, before the first byte of the body. */
  readonly open: () => void;
}

const HEARTBEAT_MS = 5_000;
const HEARTBEAT = ':\n\n';
const RETRY = 'retry: 60000\n\n';
/** Milliseconds that a chunk waits for a client that does not read. */
const READ_TIMEOUT_MS = 10_000;

/**
 * Writes the events and ends the response. Resolves when the response is closed and the generator is ending. Rejects with
 * the generator's error; then either the head is unwritten (an error response is possible) or the response is destroyed.
 * After a disconnect the generator ends at its next step; what that step awaits should observe the request's signal.
 * @param deadlineMs milliseconds until the stream is cut; null: never
 */
export async function writeEvents(
  response: ServerResponse,
  events: AsyncIterable<ServerSentEvent>,
  { deadlineMs, ...options }: StreamOptions & { readonly deadlineMs: number | null },
): Promise<void> {
  const { clock } = options;
  const writer = new StreamWriter(response, { ...options, prefix: RETRY });
  const cancelDeadline = deadlineMs === null ? nothing : clock.after(deadlineMs, () => response.destroy());
  const iterator = events[Symbol.asyncIterator]();
  try {
    // Even if the client has left, the first event is requested: a generator that never started runs no `finally`.
    for (let step = await writer.next(iterator); step !== null; step = await writer.next(iterator)) {
      await writer.write(formatEvent(step));
      if (writer.isClosed) break;
    }
    await writer.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    cancelDeadline();
    writer.release();
    // Not awaited: a slow generator must not hold the writer. Its errors end here.
    iterator.return?.().then(undefined, nothing);
  }
}

/**
 * Writes the chunks and ends the response. A chunk is requested only when there is room for it and the client is there;
 * a client that does not read for ten seconds is cut. Resolves and rejects like writeEvents.
 */
export async function writeChunks(
  response: ServerResponse,
  chunks: AsyncIterable<string | Buffer>,
  options: StreamOptions,
): Promise<void> {
  const writer = new StreamWriter(response, { ...options, readTimeoutMs: READ_TIMEOUT_MS });
  try {
    if (writer.isClosed) return;
    for await (const chunk of chunks) {
      await writer.write(chunk);
      if (writer.isClosed) return;
    }
    await writer.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    writer.release();
  }
}

/** Cuts a client that takes more than ten seconds to read a response; the timer ends with the response. */
export function cutUnread(response: ServerResponse, clock: Clock): void {
  const cancel = clock.after(READ_TIMEOUT_MS, () => response.destroy());
  response.once('close', cancel);
}

/** One event on the wire. JSON has no raw line breaks, so the data is always one line. */
export function formatEvent({ id, event, data, json = JSON.stringify(data) }: ServerSentEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${json}\n\n`;
}

interface WriterOptions extends StreamOptions {
  /** Written before the first chunk. */
  readonly prefix?: string;
  /** Milliseconds that one write may wait for the client; absent: unlimited. */
  readonly readTimeoutMs?: number;
}

/** Has at most one pending promise, so that a long stream accumulates nothing. */
class StreamWriter {
  isClosed: boolean;
  readonly #response: ServerResponse;
  readonly #options: WriterOptions;
  #isOpen = false;
  /** Ends a wait for a change of the connection. */
  #wake: () => void = nothing;
  /** Ends a wait for the next event. */
  #stopWaiting: (end: null) => void = nothing;
  #cancelHeartbeat: () => void = nothing;

  constructor(response: ServerResponse, options: WriterOptions) {
    this.#response = response;
    this.#options = options;
    this.isClosed = response.destroyed;
    // A peer that closes under back-pressure never drains, so any of the three events ends the wait.
    response.on('drain', this.#onDrain).on('close', this.#onClose).on('error', this.#onClose);
  }

  readonly #onDrain = (): void => this.#wake();
  readonly #onClose = (): void => {
    this.isClosed = true;
    this.#wake();
    this.#stopWaiting(null);
  };

  /** The next event; null after the last one or a disconnect. Sends heartbeats while waiting. */
  async next(iterator: AsyncIterator<ServerSentEvent>): Promise<ServerSentEvent | null> {
    this.#scheduleHeartbeat();
    try {
      return await new Promise((resolve, reject) => {
        this.#stopWaiting = resolve;
        iterator.next().then((step) => resolve(step.done ? null : step.value), reject);
        if (this.isClosed) resolve(null);
      });
    } finally {
      this.#cancelHeartbeat();
    }
  }

  /** Resolves when the chunk is written and there is room for more, or the client has left. */
  async write(chunk: string | Buffer): Promise<void> {
    if (this.isClosed || this.#put(chunk)) return;
    await this.#until(() => !this.#response.writableNeedDrain);
  }

  /** Resolves when the last byte has left, or the client has. */
  async end(): Promise<void> {
    if (this.isClosed) return;
    this.#open();
    this.#response.end();
    await this.#until(() => false);
  }

  release(): void {
    this.#cancelHeartbeat();
    this.#response.off('drain', this.#onDrain).off('close', this.#onClose);
    // The error listener stays: an unhandled error would end the process.
  }

  /** Resolves when the condition holds or the response is closed. */
  async #until(condition: () => boolean): Promise<void> {
    const { clock, readTimeoutMs } = this.#options;
    const cancel =
      readTimeoutMs === undefined ? nothing : clock.after(readTimeoutMs, () => this.#response.destroy());
    // Looked at first: a corked response can drain before its write has returned.
    while (!this.isClosed && !condition()) await new Promise<void>((resolve) => (this.#wake = resolve));
    cancel();
  }

  #put(chunk: string | Buffer): boolean {
    const response = this.#response;
    // Node holds writes until the end of this tick. The first event must not wait for the second.
    if (this.#isOpen) return response.write(chunk);
    response.cork();
    this.#open();
    const { prefix } = this.#options;
    if (prefix !== undefined) response.write(prefix);
    const hasRoom = response.write(chunk);
    response.uncork();
    return hasRoom;
  }

  /** Writes the head on first use. */
  #open(): void {
    if (!this.#isOpen) this.#options.open();
    this.#isOpen = true;
  }

  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      if (this.isClosed) return;
      if (!this.#response.writableNeedDrain) this.#put(HEARTBEAT);
      this.#scheduleHeartbeat();
    });
  }
}

function nothing(): void {}
