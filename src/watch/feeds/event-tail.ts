// Tail of the event log: the events of all watchers as they are written, read once for all feeds of this process.

import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type Listener, listen } from '../../postgres/client/listen.ts';
import { after } from '../events/cursor.ts';
import type { EventPosition } from '../events/event.ts';
import { type EventPage, type EventRow, type IsOpenEvent, readEvents } from '../events/read-store.ts';
import { EVENTS_CHANNEL } from '../events/write-store.ts';

/** Milliseconds between two looks without a notification. */
const POLL_PAUSE = 2_000;
/** Events of one read. */
const BATCH = 200;

export interface EventTailOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Whether anybody here reads events like this one. */
  readonly isWanted: (row: EventRow) => boolean;
  /** Whether its owner may see the listing of an event. */
  readonly isOpen: IsOpenEvent;
  /** Called with the next events, in order; `from` is the position up to which all were delivered before. */
  readonly deliver: (page: EventPage, from: EventPosition) => void;
  readonly report: (error: unknown) => void;
  /** Called before each read. */
  readonly refreshLicences: () => Promise<void>;
}

export class EventTail {
  readonly #options: EventTailOptions;
  #listener: Listener | null = null;
  #cancelPoll: () => void = () => {};
  #position: EventPosition | null = null;
  #isReading = false;
  #isStale = false;

  constructor(options: EventTailOptions) {
    this.#options = options;
  }

  /** The position up to which everything is delivered; null while it rests. */
  get position(): EventPosition | null {
    return this.#position;
  }

  /** Starts to read from a position, unless it is reading already. */
  start(from: EventPosition): void {
    if (this.#position !== null) return;
    const { database, report } = this.#options;
    this.#position = from;
    this.#listener ??= listen(database, EVENTS_CHANNEL, this.#wake, this.#wake, { onError: report });
    this.#wake();
  }

  /** Reads nothing until the next start. */
  rest(): void {
    this.#position = null;
    this.#cancelPoll();
  }

  async close(): Promise<void> {
    this.rest();
    await this.#listener?.close();
  }

  readonly #wake = (): void => {
    if (this.#position === null) return;
    this.#cancelPoll();
    this.#cancelPoll = this.#options.clock.after(POLL_PAUSE, this.#wake);
    if (this.#isReading) this.#isStale = true;
    else void this.#read();
  };

  async #read(): Promise<void> {
    this.#isReading = true;
    do {
      this.#isStale = false;
      await this.#readBatch().catch(this.#options.report);
    } while (this.#isStale && this.#position !== null);
    this.#isReading = false;
  }

  async #readBatch(): Promise<void> {
    const { database, deliver, isWanted, isOpen, refreshLicences } = this.#options;
    const from = this.#position;
    await refreshLicences();
    const range = { scope: {}, after: from, limit: BATCH, isWanted, isOpen };
    const page = await database.read((sql) => readEvents(sql, range), { planned: 'once' });
    // It may rest by now, or have started again elsewhere.
    if (from === null || this.#position !== from) return;
    if (page.next === null && page.position < from.sequence) return;
    this.#position = page.next ?? after(page.position);
    if (page.next !== null) this.#isStale = true;
    if (page.rows.length > 0) deliver(page, from);
  }
}
