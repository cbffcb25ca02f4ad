// Client ID metadata document: the form of its URL, what it must contain, and how long it may be cached.

import { isIP } from 'node:net';
import type { OutboundAnswer } from '../../lib/outbound.ts';
import { type Client, cleanClientName } from './client.ts';
import { hasCanonicalHost, parseRedirectUris } from './redirect-uri.ts';

/**
 * Why a document is no client. url: its address is malformed. unreachable: fetching it failed. answer: the HTTP response is
 * wrong. document: its content is wrong. busy: a limit on fetches is reached.
 */
export type ClientDocumentErrorKind = 'url' | 'unreachable' | 'answer' | 'document' | 'busy';

/** The message is a sentence for the developer of the client; it may hold parts of the address and of the document. */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError';
  readonly kind: ClientDocumentErrorKind;
  /** Seconds; null where waiting does not help. */
  readonly retryAfter: number | null;

  constructor(
    kind: ClientDocumentErrorKind,
    message: string,
    { retryAfter, ...options }: { readonly retryAfter?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfter = retryAfter ?? null;
  }
}

const MAX_URL_LENGTH = 2_048;
/** Lower ports belong to other services. */
const MIN_PORT = 1_024;
/** Top-level domains outside the public Internet. */
const PRIVATE_DOMAINS = ['localhost', 'local', 'internal', 'arpa', 'onion', 'invalid', 'alt'];
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);

type UrlRule = readonly [holds: (url: URL, text: string) => boolean, remedy: string];

/** The first broken rule is reported. Rules read the text where a URL object would already have corrected it. */
const URL_RULES: readonly UrlRule[] = [
  [(_, text) => !text.includes('#'), 'it must not have a fragment'],
  [(_, text) => !/^https:\/\/[^/?#\\]*@/.test(text), 'it must not contain a user name or password'],
  [(_, text) => !hasDotSegment(text), 'its path must not have "." or ".." segments'],
  [({ pathname }) => pathname !== '/', 'it must have a path, such as /oauth/client.json'],
  [({ port }) => port === '' || Number(port) >= MIN_PORT, 'its port must be absent or at least 1024'],
  [({ hostname }) => isIP(hostname.replace(/^\[|\]$/g, '')) === 0, 'its host must be a name, not an address'],
  [({ hostname }) => DOMAIN.test(hostname), 'its host must be a full domain name'],
  [
    ({ hostname }) => !PRIVATE_DOMAINS.some((name) => hostname.endsWith(`.${name}`)),
    'its host must be a name of the public Internet',
  ],
  [(_, text) => hasCanonicalHost(text), 'its host must be written as browsers normalise it'],
  [({ href }, text) => href === text, 'it must be written in its normal form'],
];

/** A client_id as the URL of its document. Throws ClientDocumentError `url`. */
export function parseClientIdUrl(text: string): URL {
  if (!text.startsWith('https://')) throw invalidUrl('it must begin with https://');
  if (text.length > MAX_URL_LENGTH) throw invalidUrl(`it must have at most ${MAX_URL_LENGTH} characters`);
  const url = URL.parse(text);
  if (url === null) throw invalidUrl('it is not a URL');
  const broken = URL_RULES.find(([holds]) => !holds(url, text));
  if (broken !== undefined) throw invalidUrl(broken[1]);
  return url;
}

function invalidUrl(fault: string): ClientDocumentError {
  return new ClientDocumentError('url', `This client_id cannot be the URL of a document: ${fault}.`);
}

function hasDotSegment(text: string): boolean {
  const path = text.replace(/^https:\/\/[^/?#\\]*/, '').replace(/[?#].*$/s, '');
  return path.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** Bytes, unpacked. */
export const MAX_DOCUMENT = 5 * 1024;

type Members = Readonly<Record<string, unknown>>;

/** The client that a response describes. Throws ClientDocumentError `answer` or `document`. */
export function parseClientDocument(url: URL, answer: OutboundAnswer): Client {
  const unusable = (kind: 'answer' | 'document', fault: string) =>
    new ClientDocumentError(kind, `The document at ${url.href} cannot be used: ${fault}.`);
  const { status, headers, body } = answer;
  if (status !== 200)
    throw unusable('answer', `it must return 200 without a redirect, and returned ${status}`);
  if (!/^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(textOf(headers['content-type'])))
    throw unusable('answer', 'its Content-Type must be application/json');
  const members = parseObject(body);
  if (members === null) throw unusable('answer', 'it must be one JSON object in UTF-8');
  if (members.client_id !== url.href)
    throw unusable('document', 'its client_id must be exactly the URL of the document');
  if ('client_secret' in members || 'client_secret_expires_at' in members)
    throw unusable('document', 'a public document must not contain a client_secret');
  if (!worksWithoutSecret(members)) {
    const remedy = 'its token_endpoint_auth_method must be none, or none must be among those supported';
    throw unusable('document', remedy);
  }
  const redirectUris = parseRedirectUris(members.redirect_uris);
  if (typeof redirectUris === 'string') throw unusable('document', redirectUris);
  return { kind: 'document', id: url.href, name: cleanClientName(members.client_name), redirectUris };
}

function parseObject(body: Buffer): Members | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && !Array.isArray(value) ? (value as Members | null) : null;
  } catch {
    return null;
  }
}

/** Shared secrets are refused; authentication by a key of the client's own may be left out. */
function worksWithoutSecret(members: Members): boolean {
  const method = members.token_endpoint_auth_method ?? 'none';
  if (typeof method !== 'string' || method.startsWith('client_secret')) return false;
  const supported = members.token_endpoint_auth_methods_supported;
  return method === 'none' || (Array.isArray(supported) && supported.includes('none'));
}

/** Milliseconds: even an uncacheable document is fetched once for all requests of a consent. */
const MIN_LIFETIME = 60_000;
/** Milliseconds: a withdrawn redirect URI stops working within a day. */
const MAX_LIFETIME = 86_400_000;
/** Milliseconds, without cache headers. */
const DEFAULT_LIFETIME = 600_000;

type Headers = OutboundAnswer['headers'];

/**
 * Milliseconds from `now` (Unix milliseconds) for which a shared cache may use the response: s-maxage, else max-age, else
 * Expires, less Age; within bounds of our own.
 */
export function documentLifetime(headers: Headers, now: number): number {
  const lifetime = freshness(headers, now);
  if (lifetime === null) return DEFAULT_LIFETIME;
  const age = Number(textOf(headers.age));
  const rest = Number.isFinite(age) && age > 0 ? lifetime - age * 1000 : lifetime;
  return Math.min(MAX_LIFETIME, Math.max(MIN_LIFETIME, rest));
}

/** Milliseconds; null where the headers do not say. */
function freshness(headers: Headers, now: number): number | null {
  const control = textOf(headers['cache-control']).toLowerCase();
  if (/(?:^|[\s,])(?:no-store|no-cache|private)(?:$|[\s,=])/.test(control)) return 0;
  const seconds = directive(control, 's-maxage') ?? directive(control, 'max-age');
  if (seconds !== null) return seconds * 1000;
  if (headers.expires === undefined) return null;
  const expires = Date.parse(textOf(headers.expires));
  // An invalid date means expired (RFC 9111, section 5.3).
  return Number.isNaN(expires) ? 0 : expires - now;
}

function directive(control: string, name: string): number | null {
  const [, value] = new RegExp(`(?:^|[\\s,])${name}="?(\\d+)`).exec(control) ?? [];
  return value === undefined ? null : Number(value);
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header ?? []).join(',');
}
