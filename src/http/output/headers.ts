// Owns the headers that answers carry whatever the route says: browser protection, and what pages of other origins may read.

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

/** The headers of one answer while they are put together: later ones win, except that Vary only grows. */
export class AnswerHeaders {
  /** Names in lower case, each followed by its value: the form that costs Node least to write out. */
  readonly flat: string[];

  /** @param first in the same form */
  constructor(first: readonly string[]) {
    this.flat = first.slice();
  }

  add(headers: Headers): void {
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) this.set(name.toLowerCase(), value);
    }
  }

  /** Adds headers in lower case of which none is there yet: nothing is looked for. */
  append(headers: Headers): void {
    const { flat } = this;
    for (const name in headers) flat.push(name, headers[name] ?? '');
  }

  set(name: string, value: string): void {
    const { flat } = this;
    let at = 0;
    while (at < flat.length && flat[at] !== name) at += 2;
    if (at === flat.length) flat.push(name, value);
    else flat[at + 1] = name === 'vary' ? joinVary(flat[at + 1], value) : value;
  }
}

function joinVary(present: string | undefined, added: string): string {
  const names = new Set(`${present}, ${added}`.split(/,\s*/));
  return [...names].join(', ');
}
