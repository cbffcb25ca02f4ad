// Owns the writing of event streams: frames, beats, back-pressure, the deadline, and clients that leave.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { ServerSentEvent } from '../frame/route.ts';

export interface StreamOptions {
  readonly clock: Clock;
  /** Writes the head; called once, with the first frame or the first beat. */
  readonly open: () => void;
  /** Milliseconds from now until the stream is cut; null: never. */
  readonly deadlineMs: number | null;
}

/** What a stream says: at once, where there is something to say at once, and then one after the other. */
export interface Events {
  readonly first?: ServerSentEvent | undefined;
  readonly events: AsyncIterable<ServerSentEvent>;
}

const BEAT_MS = 5_000;
const BEAT = ':\n\n';
const RETRY = 'retry: 60000\n\n';

/**
 * Writes the events and ends the response. Resolves when the response is closed and the generator has been told to
 * end. Rejects with what the generator threw; then the head is still unwritten (a plain error can be answered) or the
 * response is destroyed. A client that leaves ends the generator at its next step: what that step waits for should
 * listen to the call's signal.
 */
export async function writeEvents(
  response: ServerResponse,
  { first, events }: Events,
  options: StreamOptions,
): Promise<void> {
  const writer = new EventWriter(response, options);
  const iterator = events[Symbol.asyncIterator]();
  try {
    const sent = first === undefined ? undefined : writer.write(frame(first));
    // Only now: nothing stands between a reader and what is known already.
    writer.startDeadline();
    await sent;
    for (let step = await writer.next(iterator); step !== null; step = await writer.next(iterator)) {
      await writer.write(frame(step));
    }
    await writer.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    writer.release();
    // Not awaited: a generator that is waiting for something slow must not hold the writer; its errors end here.
    iterator.return?.().then(undefined, () => undefined);
  }
}

/** One event on the wire. JSON has no raw line breaks, so the data is always one line. */
export function frame({ id, event, data, json = JSON.stringify(data) }: ServerSentEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${json}\n\n`;
}

/**
 * Holds at most one waiting promise, so that a long stream gathers nothing. What wakes it is the promise's own resolve:
 * V8 puts a function literal that is assigned to a property among its old objects at once, where it would hold the whole
 * finished stream through every collection of young ones.
 */
class EventWriter {
  readonly #response: ServerResponse;
  readonly #options: StreamOptions;
  #cancelDeadline: () => void = nothing;
  #opened = false;
  #gone: boolean;
  /** Ends a wait for a change of the connection. */
  #wake: () => void = nothing;
  /** Ends a wait for the next event. */
  #leave: (end: null) => void = nothing;
  #cancelBeat: () => void = nothing;

  constructor(response: ServerResponse, options: StreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#gone = response.destroyed;
    // A peer that closes under back-pressure never drains: all three events end the same wait.
    response.on('drain', this.#onDrain).on('close', this.#onLeave).on('error', this.#onLeave);
  }

  readonly #onDrain = (): void => this.#wake();
  readonly #onLeave = (): void => {
    this.#gone = true;
    this.#wake();
    this.#leave(null);
  };

  /** Cuts the stream when its time is over. */
  startDeadline(): void {
    const { clock, deadlineMs } = this.#options;
    if (deadlineMs !== null) this.#cancelDeadline = clock.after(deadlineMs, () => this.#response.destroy());
  }

  /** The next event; null when there is none or nobody is left to read it. Beats while it waits. */
  async next(iterator: AsyncIterator<ServerSentEvent>): Promise<ServerSentEvent | null> {
    if (this.#gone) return null;
    this.#armBeat();
    try {
      return await new Promise((resolve, reject) => {
        this.#leave = resolve;
        iterator.next().then((step) => resolve(step.done ? null : step.value), reject);
      });
    } finally {
      this.#cancelBeat();
    }
  }

  /** Resolves when the text is on its way and there is room for more, or the client has left. */
  async write(text: string): Promise<void> {
    if (this.#gone || this.#put(text)) return;
    do await this.#change();
    while (!this.#gone && this.#response.writableNeedDrain);
  }

  /** Resolves when the last byte has left, or the client has. */
  async end(): Promise<void> {
    if (this.#gone) return;
    this.#start();
    this.#response.end();
    while (!this.#gone) await this.#change();
  }

  release(): void {
    this.#cancelDeadline();
    this.#cancelBeat();
    this.#response.off('drain', this.#onDrain).off('close', this.#onLeave);
    // The listener for errors stays: an error nobody listens to would end the process.
  }

  /** Resolves when there is room again or the client has left. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #put(text: string): boolean {
    const response = this.#response;
    // Node gathers what is written until this turn ends: good for the last events, which come together. The first must
    // not wait for work on the second.
    if (this.#opened) return response.write(text);
    response.cork();
    this.#start();
    const room = response.write(RETRY + text);
    response.uncork();
    return room;
  }

  /** Writes the head on first use. */
  #start(): void {
    if (!this.#opened) this.#options.open();
    this.#opened = true;
  }

  #armBeat(): void {
    this.#cancelBeat = this.#options.clock.after(BEAT_MS, () => {
      if (this.#gone) return;
      if (!this.#response.writableNeedDrain) this.#put(BEAT);
      this.#armBeat();
    });
  }
}

function nothing(): void {}
