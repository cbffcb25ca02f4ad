// Conditional requests: entity tags and 304.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Reply } from './reply.ts';

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

/** The reply with its tag, or a 304 if If-None-Match holds the tag or `*`. */
export function conditional(headers: IncomingHttpHeaders, etag: string, reply: Reply): Reply {
  const tagged = { ...reply.headers, etag };
  if (!isKnown(headers['if-none-match'], etag)) return { ...reply, headers: tagged };
  return { status: 304, headers: tagged };
}

/** Whether an If-None-Match header holds the tag; compared weakly, as RFC 9110 13.1.2 wants for reads. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = withoutWeakness(etag);
  return splitTags(ifNoneMatch).some((tag) => withoutWeakness(tag) === opaque);
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** A tag may hold commas between its quotes. */
function splitTags(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
