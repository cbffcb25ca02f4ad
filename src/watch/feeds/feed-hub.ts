// Feed hub: the open feeds of this process. A feed first reads the log behind its cursor, then joins the tail that all share.

import type { ServerResponse } from 'node:http';
import { FeedWriter } from '../../http/output/feed-writer.ts';
import { Bulkhead } from '../../lib/bulkhead.ts';
import { type Clock, pause } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Database } from '../../postgres/client/database.ts';
import { after, formatCursor } from '../events/cursor.ts';
import { comparePositions, type EventPosition } from '../events/event.ts';
import { type PresentedEvent, presentEvents } from '../events/presenter.ts';
import {
  type EventPage,
  type EventRow,
  type EventScope,
  type IsOpenEvent,
  readEvents,
} from '../events/read-store.ts';
import type { CheckedStream, CredentialChecks } from './credential-checks.ts';
import { EventFeed, encodeEvents, type FeedRequest } from './event-feed.ts';
import { EventTail } from './event-tail.ts';

export interface FeedHubOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly publicUrl: string;
  readonly checks: Pick<CredentialChecks, 'add'>;
  readonly report: (error: unknown) => void;
  /** Whether the owner of an event may see its listing. */
  readonly isOpen: IsOpenEvent;
  /** The source whose listings are under the licence of this number. */
  readonly sourceOf: (licence: number) => string;
  /** Reads again what is open: it has to be as new as the events, or one under a licence that is new would be passed over. */
  readonly refreshLicences: () => Promise<void>;
}

/** Calls back with new events, in order. It must not throw. */
export type EventListener = (event: EventRow) => void;

/** Events of one read for a feed behind the tail: few, since they wait for its client. */
const PAGE = 25;
/** Feeds that read the log at once; the others wait. */
const MAX_READS = 4;
/** Milliseconds before a read that failed is tried again. */
const RETRY_PAUSE = 1_000;
const HEARTBEAT = ':\n\n';

export class FeedHub {
  readonly #options: FeedHubOptions;
  readonly #writer: FeedWriter<EventFeed>;
  readonly #tail: EventTail;
  readonly #reads = new Bulkhead({ maxConcurrent: MAX_READS, maxQueue: Number.POSITIVE_INFINITY });
  readonly #closing = new AbortController();
  /** All feeds, by what they read. */
  readonly #open = new Map<string, Set<EventFeed>>();
  /** Feeds at the tail, likewise. */
  readonly #atTail = new Map<string, Set<EventFeed>>();
  /** Listeners at the tail, by what they hear. */
  readonly #listeners = new Map<string, Set<EventListener>>();
  readonly #counts;

  constructor(options: FeedHubOptions) {
    const { metrics } = options;
    this.#options = options;
    this.#writer = new FeedWriter<EventFeed>({
      clock: options.clock,
      heartbeat: (feed) => this.#heartbeat(feed),
      onClose: (feed) => this.#remove(feed),
    });
    this.#tail = new EventTail({
      ...options,
      // A feed may join the tail between this read and its delivery, when the tail goes past what it has not read itself.
      isWanted: (row) =>
        keysOf(row).some((key) => this.#open.has(key) || this.#listeners.has(key)) && options.isOpen(row),
      deliver: (page, from) => this.#deliver(page, from),
    });
    metrics.gauge('freehold_feeds_open', 'Open feeds of events.', () => this.#writer.size);
    this.#counts = {
      ended: metrics.counter('freehold_feeds_ended_total', 'Feeds that ended, by reason.', ['reason']),
      sent: metrics.counter('freehold_feed_events_total', 'Events sent to feeds.', []),
    };
  }

  /** Opens a feed on a response whose head is written; it ends with its credential. */
  open(response: ServerResponse, request: FeedRequest & Omit<CheckedStream, 'end'>): void {
    const release = () => {
      stopChecks();
      request.release();
    };
    const feed = new EventFeed(response, { ...request, release });
    const stopChecks = this.#options.checks.add({ ...request, end: () => feed.close('credential') });
    addTo(this.#open, keyOf(feed.scope), feed);
    this.#writer.open(feed, formatCursor(feed.position));
    if (this.#closing.signal.aborted) feed.close('shutdown');
    else void this.#catchUp(feed);
  }

  /**
   * Calls a listener with the events of a scope that are written from now on, by any process, until the returned function is
   * called, which may be called twice. Rejects if the log cannot be read.
   */
  async listen(scope: EventScope, listener: EventListener): Promise<() => void> {
    const key = keyOf(scope);
    addTo(this.#listeners, key, listener);
    const leave = () => {
      removeFrom(this.#listeners, key, listener);
      this.#restUnlessRead();
    };
    try {
      await this.#startTail();
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Ends all feeds; their clients go on elsewhere, from the last event that they got. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#writer.close('shutdown');
    this.#listeners.clear();
    await this.#tail.close();
  }

  /** Starts to read what is written from now on, where nobody reads yet. */
  async #startTail(): Promise<void> {
    if (this.#tail.position !== null) return;
    const range = { scope: {}, after: null, limit: 0 };
    const { position } = await this.#options.database.read((sql) => readEvents(sql, range), {
      planned: 'once',
    });
    if (this.#listeners.size > 0) this.#tail.start(after(position));
  }

  #restUnlessRead(): void {
    if (this.#atTail.size === 0 && this.#listeners.size === 0) this.#tail.rest();
  }

  #remove(feed: EventFeed): void {
    removeFrom(this.#open, keyOf(feed.scope), feed);
    this.#leaveTail(feed);
    feed.release();
    this.#counts.ended.inc({ reason: feed.end });
  }

  /** Sends what the log has behind the feed's position, as fast as its client reads; then the feed joins the tail. */
  async #catchUp(feed: EventFeed): Promise<void> {
    const { clock, report } = this.#options;
    const { signal } = this.#closing;
    while (!feed.isClosed && !signal.aborted) {
      await feed.ready();
      try {
        const page = await this.#reads.run(signal, () => this.#readNext(feed));
        if (page === null || this.#sendPage(feed, page)) return;
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        await pause(clock, RETRY_PAUSE, signal);
      }
    }
  }

  async #readNext(feed: EventFeed): Promise<EventPage | null> {
    if (feed.isClosed) return null;
    const { isOpen } = this.#options;
    await this.#options.refreshLicences();
    const range = { scope: feed.scope, after: feed.position, limit: PAGE, isWanted: isOpen, isOpen };
    return this.#options.database.read((sql) => readEvents(sql, range), { planned: 'once' });
  }

  /** True once the feed has joined the tail. */
  #sendPage(feed: EventFeed, page: EventPage): boolean {
    const events = presentEvents(page, this.#options.publicUrl);
    if (events.length > 0) feed.write(encodeEvents(events));
    feed.count(this.#sourcesOf(events));
    this.#counts.sent.inc(events.length);
    const end = page.next ?? after(page.position);
    if (comparePositions(end, feed.position) > 0) feed.position = end;
    return page.next === null && this.#joinTail(feed);
  }

  /** False if the tail has gone on meanwhile: the feed must read the log once more. */
  #joinTail(feed: EventFeed): boolean {
    if (feed.isClosed) return true;
    const { position } = this.#tail;
    if (position !== null && comparePositions(feed.position, position) < 0) return false;
    addTo(this.#atTail, keyOf(feed.scope), feed);
    this.#tail.start(feed.position);
    return true;
  }

  #leaveTail(feed: EventFeed): void {
    removeFrom(this.#atTail, keyOf(feed.scope), feed);
    this.#restUnlessRead();
  }

  #deliver(page: EventPage, from: EventPosition): void {
    for (const row of page.rows)
      for (const key of keysOf(row)) for (const listener of this.#listeners.get(key) ?? []) listener(row);
    const events = Map.groupBy(
      presentEvents(page, this.#options.publicUrl).flatMap((event) =>
        keysOf(event.row).map((key) => ({ key, event })),
      ),
      ({ key }) => key,
    );
    for (const [key, group] of events)
      this.#send(
        key,
        group.map(({ event }) => event),
        from,
      );
  }

  /** Sends events to all feeds that read them: encoded once, written to each. */
  #send(key: string, events: readonly PresentedEvent[], from: EventPosition): void {
    const feeds = this.#atTail.get(key);
    if (feeds === undefined) return;
    const chunk = encodeEvents(events);
    for (const feed of feeds) {
      if (feed.hasRoom(chunk.length)) feed.count(this.#sourcesOf(feed.send(events, chunk)));
      else this.#fallBehind(feed, from);
    }
    this.#counts.sent.inc(events.length * feeds.size);
  }

  #sourcesOf(events: readonly PresentedEvent[]): readonly string[] {
    return events.flatMap(({ shown }) => shown.map(this.#options.sourceOf));
  }

  /** A client that reads too slowly leaves the tail and reads the log at its own speed. */
  #fallBehind(feed: EventFeed, from: EventPosition): void {
    this.#leaveTail(feed);
    if (comparePositions(from, feed.position) > 0) feed.position = from;
    void this.#catchUp(feed);
  }

  /** A comment. At the tail it carries the position that is reached, so that the cursor of a quiet feed does not grow old. */
  #heartbeat(feed: EventFeed): string {
    const { position } = this.#tail;
    const isAtTail = this.#atTail.get(keyOf(feed.scope))?.has(feed) === true;
    if (position === null || !isAtTail || comparePositions(position, feed.position) < 0) return HEARTBEAT;
    return `:\nid: ${formatCursor(position)}\n\n`;
  }
}

const keysOf = ({ owner, watcherId }: EventRow): readonly string[] => [
  keyOf({ owner }),
  keyOf({ owner, watcherId }),
];

const keyOf = ({ owner, watcherId = '' }: EventScope): string => `${watcherId} ${owner}`;

function addTo<Value>(groups: Map<string, Set<Value>>, key: string, value: Value): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, new Set([value]));
  else group.add(value);
}

function removeFrom<Value>(groups: Map<string, Set<Value>>, key: string, value: Value): void {
  const group = groups.get(key);
  group?.delete(value);
  if (group?.size === 0) groups.delete(key);
}
