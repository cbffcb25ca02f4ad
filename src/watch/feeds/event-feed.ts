// Feed of events: of one watcher, or of all watchers of an owner.

import type { ServerResponse } from 'node:http';
import { Feed } from '../../http/output/feed-writer.ts';
import { formatEvent } from '../../http/output/stream-writer.ts';
import { comparePositions, type EventPosition } from '../events/event.ts';
import type { PresentedEvent } from '../events/presenter.ts';
import type { EventScope } from '../events/read-store.ts';

export interface FeedRequest {
  readonly scope: EventScope;
  readonly start: EventPosition;
  /** Frees what the feed holds; called once. */
  readonly release: () => void;
}

export class EventFeed extends Feed {
  readonly scope: EventScope;
  readonly release: () => void;
  /** Everything up to this position has been sent, or more while the feed is at the tail. */
  position: EventPosition;

  constructor(response: ServerResponse, { scope, start, release }: FeedRequest) {
    super(response);
    this.scope = scope;
    this.release = release;
    this.position = start;
  }

  /** Sends events of the tail; `chunk` is all of them. A feed that has just come from the log may have the first of them. */
  send(events: readonly PresentedEvent[], chunk: Buffer): void {
    const [first] = events;
    if (first === undefined || comparePositions(first.row, this.position) > 0) this.write(chunk);
    else this.write(encodeEvents(events.filter(({ row }) => comparePositions(row, this.position) > 0)));
  }
}

/** Events on the wire, one after another. */
export function encodeEvents(events: readonly PresentedEvent[]): Buffer {
  let text = '';
  for (const { row, cursor, json } of events) text += formatEvent({ id: cursor, event: row.type, json });
  return Buffer.from(text);
}
