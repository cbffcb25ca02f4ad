// Conditional requests: entity tags and 304.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Headers, Reply } from './reply.ts';

/** A weak entity tag from parts that identify a state of the resource; parts must not contain quotes. */
export function weakEtag(...parts: readonly (string | number)[]): string {
  return `W/"${parts.join('.')}"`;
}

/** A strong entity tag of a text's very bytes. */
export function strongEtag(text: string): string {
  return `"${hash('sha256', text, 'base64url')}"`;
}

/** A weak entity tag of JSON that ignores the named members at any depth. */
export function contentEtag(json: unknown, except: readonly string[]): string {
  const text = JSON.stringify(json, (key, value: unknown) => (except.includes(key) ? undefined : value));
  return weakEtag(hash('sha256', text, 'base64url').slice(0, 22));
}

/**
 * The reply with its tag, or a 304 if the client has it: If-None-Match holds the tag or `*`, or, where `now` is given, the
 * reply is unmodified by its date. `now` in milliseconds since the epoch.
 */
export function conditional(headers: IncomingHttpHeaders, etag: string, reply: Reply, now?: number): Reply {
  const tagged: Headers = { ...reply.headers, etag };
  const known =
    isKnown(headers['if-none-match'], etag) ||
    (now !== undefined && isUnmodified(headers, tagged['last-modified'], now));
  return known ? { status: 304, headers: tagged } : { ...reply, headers: tagged };
}

/** Milliseconds. A date has whole seconds: what was written in the last two may be written again under the same date. */
const SETTLED_MS = 2_000;

/**
 * Whether If-Modified-Since, in a request without If-None-Match, is the very date of Last-Modified. Not a later one: the
 * date of a property moves back when its newest listing is withheld, and its old content must not be confirmed then.
 */
export function isUnmodified(
  { 'if-none-match': tags, 'if-modified-since': since }: IncomingHttpHeaders,
  lastModified: string | undefined,
  now: number,
): boolean {
  if (tags !== undefined || since === undefined || since !== lastModified) return false;
  return now - Date.parse(lastModified) >= SETTLED_MS;
}

/** Whether an If-None-Match header holds the tag; compared weakly, as RFC 9110 13.1.2 wants for reads. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = withoutWeakness(etag);
  return splitTags(ifNoneMatch).some((tag) => {
    const sent = withoutWeakness(tag);
    return sent === opaque || sent.replace(PROXY_SUFFIX, '"') === opaque;
  });
}

/** Whether an If-Match header holds the tag; compared strongly, as RFC 9110 13.1.1 wants for changes. */
export function isMatched(ifMatch: string, etag: string): boolean {
  if (ifMatch.trim() === '*') return true;
  return splitTags(ifMatch).some((tag) => tag === etag || tag.replace(PROXY_SUFFIX, '"') === etag);
}

/** What proxies that compress append to a tag: Apache and nginx modules `-gzip`, Jetty `--gzip`, Varnish and others `;br`. */
const PROXY_SUFFIX = /(?:--?|;)(?:gzip|br|deflate|zstd)"$/;

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** A tag may hold commas between its quotes. */
function splitTags(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
