// Feed of events: what one reader follows, and how far it has come.

import type { ServerResponse } from 'node:http';
import type { CallUsage } from '../../http/frame/call-usage.ts';
import { Feed } from '../../http/output/feed-writer.ts';
import { formatEvent } from '../../http/output/stream-writer.ts';
import { comparePositions, type EventPosition } from '../events/event.ts';
import type { PresentedEvent } from '../events/presenter.ts';
import type { EventScope } from '../events/read-store.ts';

export interface FeedRequest {
  readonly scope: EventScope;
  readonly start: EventPosition;
  readonly usage: CallUsage;
  /** Frees what the feed holds; called once. */
  readonly release: () => void;
}

export class EventFeed extends Feed {
  readonly scope: EventScope;
  readonly release: () => void;
  readonly #usage: CallUsage;
  /** Everything up to this position has been sent, or more while the feed is at the tail. */
  position: EventPosition;

  constructor(response: ServerResponse, { scope, start, usage, release }: FeedRequest) {
    super(response);
    this.#usage = usage;
    this.scope = scope;
    this.release = release;
    this.position = start;
  }

  /** Sends events of the tail; `chunk` is all of them. A feed that has just come from the log may have the first of them. Returns those that it sent. */
  send(events: readonly PresentedEvent[], chunk: Buffer): readonly PresentedEvent[] {
    const [first] = events;
    const isWhole = first === undefined || comparePositions(first.row, this.position) > 0;
    const sent = isWhole ? events : events.filter(({ row }) => comparePositions(row, this.position) > 0);
    this.write(isWhole ? chunk : encodeEvents(sent));
    return sent;
  }

  /** Counts listings that were sent, by their sources. */
  count(sources: readonly string[]): void {
    for (const source of sources) this.#usage.shows(source);
  }
}

/** Events on the wire, one after another. */
export function encodeEvents(events: readonly PresentedEvent[]): Buffer {
  let text = '';
  for (const { row, cursor, json } of events) text += formatEvent({ id: cursor, event: row.type, json });
  return Buffer.from(text);
}
