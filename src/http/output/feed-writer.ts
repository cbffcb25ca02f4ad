// Feed writer: event streams that stay open for long. They share one timer, and a chunk is encoded once for all of them.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';

/** Bytes that wait for a client; what does not fit is read again once the client has caught up. */
const MAX_QUEUED_BYTES = 262_144;
/** Seconds between two heartbeats. */
const HEARTBEAT_SECONDS = 20;
/** Milliseconds that a feed stays open: half an hour to an hour, so that feeds do not all come back at once. */
const MIN_LIFETIME = 1_800_000;
const LIFETIME_SPREAD = 1_800_000;
/** Milliseconds after which a client should come back, for the same reason spread. */
const MIN_RETRY = 2_000;
const RETRY_SPREAD = 8_000;

/** Why a feed ended. `client`: the other side closed it; `slow`: it read nothing for a whole heartbeat. */
export type FeedEnd = 'client' | 'slow' | 'lifetime' | 'credential' | 'shutdown' | 'failure';

/** One open feed. Chunks are shared with other feeds and never copied. */
export class Feed {
  readonly response: ServerResponse;
  /** Why it ended, or will have. */
  #end: FeedEnd = 'client';
  #flushed = 0;

  constructor(response: ServerResponse) {
    this.response = response;
    // Without a listener an error of the socket would end the process; `close` follows it.
    response.on('error', () => {});
  }

  get end(): FeedEnd {
    return this.#end;
  }

  get isClosed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Whether this many more bytes may wait for the client. */
  hasRoom(bytes: number): boolean {
    return this.response.writableLength + bytes <= MAX_QUEUED_BYTES;
  }

  /**
   * Writes to the socket itself: the body has no frames, and a write of the response corks the socket for a turn of the event
   * loop, which costs a quarter of sending an event to thousands.
   */
  write(chunk: Buffer | string): void {
    const { response } = this;
    const { socket } = response;
    if (this.isClosed) return;
    if (socket === null) response.write(chunk);
    else socket.write(chunk);
  }

  /** Resolves when there is room for a chunk, or the feed is closed. */
  async ready(): Promise<void> {
    const { socket } = this.response;
    if (this.isClosed || socket === null || !socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const finish = () => {
        socket.off('drain', finish).off('close', finish);
        resolve();
      };
      socket.on('drain', finish).on('close', finish);
    });
  }

  /** Ends the feed; one whose client has much to read is cut, and the client comes back for the rest. */
  close(reason: FeedEnd): void {
    if (this.isClosed) return;
    this.#end = reason;
    if (this.response.writableLength > 0) this.response.destroy();
    else this.response.end();
  }

  /** Whether bytes wait of which none was read since the last call. */
  isStalled(): boolean {
    const { writableLength, socket } = this.response;
    const flushed = (socket?.bytesWritten ?? 0) - writableLength;
    const stalled = writableLength > 0 && flushed === this.#flushed;
    this.#flushed = writableLength > 0 ? flushed : -1;
    return stalled;
  }
}

export interface FeedWriterOptions<F extends Feed> {
  readonly clock: Clock;
  /** What keeps a feed alive while nothing happens: a comment. */
  readonly heartbeat: (feed: F) => string | Buffer;
  /** Called once for each feed, when its response is closed. */
  readonly onClose: (feed: F) => void;
}

/** Open feeds, with one timer for all. */
export class FeedWriter<F extends Feed> {
  readonly #options: FeedWriterOptions<F>;
  /** Feeds with the monotonic time of their end, by the second of their heartbeat. */
  readonly #slots = Array.from({ length: HEARTBEAT_SECONDS }, () => new Map<F, number>());
  #size = 0;
  #second = 0;
  #next = 0;
  #cancel: (() => void) | null = null;

  constructor(options: FeedWriterOptions<F>) {
    this.#options = options;
  }

  /** Open feeds. */
  get size(): number {
    return this.#size;
  }

  /** Adds a feed whose head is written, and writes its first lines: when to come back, and from where. */
  open(feed: F, cursor: string): void {
    const { clock, onClose } = this.#options;
    const slot = this.#slots[this.#next] ?? new Map<F, number>();
    this.#next = (this.#next + 1) % HEARTBEAT_SECONDS;
    if (feed.response.destroyed) {
      onClose(feed);
      return;
    }
    this.#size += 1;
    slot.set(feed, clock.monotonic() + MIN_LIFETIME + Math.random() * LIFETIME_SPREAD);
    feed.response.once('close', () => {
      slot.delete(feed);
      this.#size -= 1;
      if (this.#size === 0) this.#stop();
      onClose(feed);
    });
    // The head goes with it.
    feed.response.write(`retry: ${Math.round(MIN_RETRY + Math.random() * RETRY_SPREAD)}\nid: ${cursor}\n\n`);
    this.#cancel ??= clock.after(1_000, this.#tick);
  }

  /** Ends all feeds. */
  close(reason: FeedEnd): void {
    for (const slot of this.#slots) for (const feed of slot.keys()) feed.close(reason);
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  readonly #tick = (): void => {
    const { clock, heartbeat } = this.#options;
    this.#cancel = clock.after(1_000, this.#tick);
    this.#second = (this.#second + 1) % HEARTBEAT_SECONDS;
    const now = clock.monotonic();
    for (const [feed, endsAt] of this.#slots[this.#second] ?? []) {
      if (feed.isStalled()) feed.close('slow');
      else if (now >= endsAt) feed.close('lifetime');
      else if (feed.response.writableLength === 0) feed.write(heartbeat(feed));
    }
  };
}
