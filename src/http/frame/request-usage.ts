// Usage of one request: which listings its answer shows, and what answers it, for the record of use.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallUsage } from './call-usage.ts';
import type { Access } from './route.ts';

/** A request as the record of use needs it. */
export interface RecordedRequest<Caller> {
  readonly endpoint: { readonly route: { readonly access: Access; readonly isProbe?: boolean } };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isIdentified: boolean;
  readonly caller: Caller;
  readonly usage: RequestUsage;
}

/** Records what requests use. */
export interface UsageRecorder<Caller> {
  /** Called when an answer shows listings, which may go on for long. */
  shows(request: RecordedRequest<Caller>): void;
  /** Called once a request is over, answered or not. */
  ended(request: RecordedRequest<Caller>): void;
}

export const NO_RECORDER: UsageRecorder<unknown> = { shows: () => {}, ended: () => {} };

const NONE: ReadonlyMap<string, number> = new Map();

export class RequestUsage implements CallUsage {
  /** The operation that answers. */
  operation: string;
  readonly #onShown: () => void;
  #shown: Map<string, number> | null = null;

  /** @param onShown called when listings are shown of which nothing has been taken yet */
  constructor(operation: string, onShown: () => void) {
    this.operation = operation;
    this.#onShown = onShown;
  }

  shows(source: string, listings = 1): void {
    if (listings === 0) return;
    if (this.#shown === null) {
      this.#shown = new Map();
      this.#onShown();
    }
    this.#shown.set(source, (this.#shown.get(source) ?? 0) + listings);
  }

  answeredBy(operation: string): void {
    this.operation = operation;
  }

  /** What was shown since this was called last, by source. */
  take(): ReadonlyMap<string, number> {
    const shown = this.#shown ?? NONE;
    this.#shown = null;
    return shown;
  }
}
