// Reply of a handler, and the headers that every answer carries: browser protection, and what pages of other origins may read.

export type Headers = Readonly<Record<string, string>>;

const EXPOSED = [
  'X-Request-Id, RateLimit-Policy, RateLimit, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining',
  'X-RateLimit-Reset, Link, X-Total-Count, ETag, WWW-Authenticate, X-Data-Source, Age',
  'Mcp-Session-Id, MCP-Protocol-Version',
].join(', ');

const ALLOWED = [
  'Authorization, Content-Type, Accept, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID',
  'Traceparent, Tracestate, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
].join(', ');

const CROSS_ORIGIN_PATHS = [
  /^\/(?:v1|mcp)(?:\/|$)/,
  /^\/\.well-known\//,
  /^\/oauth\/(?:register|token|revoke)$/,
];

/** Whether pages of other origins may call a path. Never with cookies, so any origin may. */
export function isCrossOrigin(path: string): boolean {
  return CROSS_ORIGIN_PATHS.some((pattern) => pattern.test(path));
}

/**
 * The headers of every answer at a path. Data needs no scripts, frames or forms, so its policy forbids all;
 * a page replaces the policy through its own headers. HTTPS is insisted upon only where it is the public address.
 */
export function baseHeaders(path: string, publicUrl: string): Headers {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'cross-origin',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
    ...(isCrossOrigin(path) && {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
    }),
  };
}

/** What a preflight is told. The answer may be kept for two hours, the most that browsers honour. */
export function preflightHeaders(methods: string): Headers {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '7200',
  };
}

/** Headers in one map, names in lower case: later ones win, except that Vary only grows. */
export function mergeHeaders(first: Headers, ...others: readonly Headers[]): Record<string, string> {
  const merged: Record<string, string> = { ...first };
  for (const headers of others) {
    for (const given in headers) {
      const name = given.toLowerCase();
      const value = headers[given];
      if (value !== undefined) merged[name] = name === 'vary' ? joinVary(merged.vary, value) : value;
    }
  }
  return merged;
}

/** The value of Vary that names all of both. */
export function joinVary(present: string | undefined, added: string): string {
  if (present === undefined) return added;
  const names = present.split(', ');
  return names.includes(added) ? present : `${present}, ${added}`;
}

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
