// Replies of handlers, and headers of every response: browser protection and CORS.

import type { ServerResponse } from 'node:http';
import { parseJson } from '../../lib/parse.ts';

/** Response headers under lower-case names, so that merging them is a spread. */
export type Headers = Readonly<Record<Lowercase<string>, string>>;

const EXPOSED = [
  'X-Request-Id, RateLimit-Policy, RateLimit, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining',
  'X-RateLimit-Reset, X-RateLimit-Notice, Link, Location, X-Total-Count, ETag, WWW-Authenticate, X-Data-Source, Age',
  'Content-Disposition, Deprecation, Sunset, Mcp-Session-Id, MCP-Protocol-Version',
].join(', ');

/**
 * Any header may be sent: no cross-origin route reads cookies. The wildcard never covers Authorization, and older browsers
 * do not know it, so that the usual headers have their names, those of monitoring libraries among them.
 */
const ALLOWED = [
  'Authorization, Content-Type, Accept, Cache-Control, Idempotency-Key, If-Match, If-None-Match',
  'If-Modified-Since, Last-Event-ID, X-Requested-With',
  'MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
  'Traceparent, Tracestate, Baggage, Sentry-Trace',
  'X-Datadog-Trace-Id, X-Datadog-Parent-Id, X-Datadog-Origin, X-Datadog-Sampling-Priority, X-Datadog-Tags',
  '*',
].join(', ');

const CROSS_ORIGIN_PATHS = [
  /^\/(?:v1|mcp)(?:\/|$)/,
  /^\/\.well-known\//,
  /^\/oauth\/(?:register|token|revoke)$/,
  /^\/(?:openapi\.(?:json|yaml)|llms\.txt)$/,
];

/** Whether cross-origin pages may call a path. No route uses cookies there, so any origin may. */
export function isCrossOrigin(path: string): boolean {
  return CROSS_ORIGIN_PATHS.some((pattern) => pattern.test(path));
}

/**
 * Headers of every response at a path. The content security policy forbids everything; pages replace it with their own.
 * HSTS is sent only if the public URL is https.
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

/** Headers of a preflight response, cached for two hours, the most that browsers honour. */
export function preflightHeaders(methods: string): Headers {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '7200',
  };
}

/** The union of two Vary values; undefined if both are. */
export function joinVary(present: string | undefined, added: string | undefined): string | undefined {
  if (present === undefined || added === undefined) return present ?? added;
  const names = present.split(', ');
  return names.includes(added) ? present : `${present}, ${added}`;
}

/** A server-sent event. Its data is one line of JSON: `json` if already serialized, else `data`. */
export interface ServerSentEvent {
  readonly event: string;
  readonly id: string;
  readonly data?: unknown;
  readonly json?: string;
}

/** Reply of a handler. At most one of `json`, `text`, `bytes`, `events`, `feed` and `chunks`; none: an empty body. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Headers;
  /** Sent as JSON; `headers` may replace the content type. */
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** Sent as text/event-stream until the generator ends. */
  readonly events?: AsyncIterable<ServerSentEvent>;
  /** Takes over the response as text/event-stream once the head is written; see FeedWriter. */
  readonly feed?: (response: ServerResponse) => void;
  /** Sent chunk by chunk, as fast as the client reads; `headers` has the content type. */
  readonly chunks?: AsyncIterable<string>;
  /** Deadline of an event stream, after which it is cut. Default 10 s; null: none. */
  readonly deadlineMs?: number | null;
}

/** The JSON of a reply, in whichever form it comes; undefined: the reply is empty. */
export function jsonOf({ json, text, bytes }: Reply): object | undefined {
  const written = bytes === undefined ? text : Buffer.from(bytes).toString();
  const value = written === undefined ? json : parseJson(written);
  return typeof value === 'object' && value !== null ? value : undefined;
}
