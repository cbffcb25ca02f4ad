// Event bus of one stream of updates: announces each URI at most once a second, and keeps updates until the stream listens.

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Clock } from '../../lib/clock.ts';

/** Milliseconds between two rounds of updates. What happens to a URI meanwhile is one update: its reader reads the latest anyway. */
const INTERVAL = 1_000;

/** The SDK subscribes once, when it has acknowledged the stream, and leaves when the stream ends, however that comes. */
export class StreamBus implements ServerEventBus {
  readonly #clock: Clock;
  readonly #onLeave: () => void;
  /** URIs that are announced next. */
  readonly #waiting = new Set<string>();
  #listener: ((event: ServerEvent) => void) | null = null;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, onLeave: () => void) {
    this.#clock = clock;
    this.#onLeave = onLeave;
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listener = listener;
    this.#tellWaiting();
    return () => {
      this.close();
      this.#onLeave();
    };
  }

  publish(event: ServerEvent): void {
    this.#listener?.(event);
  }

  /** Tells that a resource has changed, now or with the next round. */
  update(uri: string): void {
    this.#waiting.add(uri);
    if (this.#cancel === null) this.#tellWaiting();
  }

  /** Tells nothing any more. */
  close(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#listener = null;
    this.#waiting.clear();
  }

  readonly #tellWaiting = (): void => {
    this.#cancel = null;
    if (this.#listener === null || this.#waiting.size === 0) return;
    const uris = [...this.#waiting];
    this.#waiting.clear();
    this.#cancel = this.#clock.after(INTERVAL, this.#tellWaiting);
    for (const uri of uris) this.publish({ kind: 'resource_updated', uri });
  };
}
