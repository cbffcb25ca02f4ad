// What a handler answers with.

/** One server-sent event. Its data is one line of JSON: `json` where that is written already, else made of `data`. */
export interface ServerSentEvent {
  readonly event: string;
  readonly id: string;
  readonly data?: unknown;
  readonly json?: string;
}

/** What a handler gives back. Exactly one of `json`, `text`, `bytes`, `events` or `chunks`; none: an empty body. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; the content type may be replaced through `headers`. */
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** Sent as text/event-stream; ended by the writer when the generator ends. */
  readonly events?: AsyncIterable<ServerSentEvent>;
  /** Sent chunk by chunk, as fast as the client reads; its content type stands in `headers`. */
  readonly chunks?: AsyncIterable<string>;
  /** How long a stream of events may take altogether; then it is cut. Default 10 s; null: no end. */
  readonly deadlineMs?: number | null;
}
