// Owns what the answers about a property have in common: whose it is, their tag, and the headers that tell their age.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import type { Access, Reply } from '../http/frame/route.ts';
import { conditional } from '../http/output/etag.ts';
import { Problem } from '../lib/problem.ts';
import { instant } from '../listings/market-clock.ts';
import type { StoredListing, StoredProperty } from '../listings/stored-listing.ts';
import { shownListings, subjectOf } from './subject.ts';

export const PropertyParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    missing: 'PROPERTY_NOT_FOUND',
    description: 'The id of a property, or of any of its listings.',
  }),
});

/** Any tier with credentials, as for the property itself. */
export const PROPERTY_ACCESS: Access = {
  credentials: 'required',
  scope: 'listings:read',
  counts: 'month',
};

export const NOT_MODIFIED = { 304: 'The response still matches If-None-Match.' } as const;

export function propertyNotFound(): Problem {
  return new Problem('PROPERTY_NOT_FOUND', 'There is no property or listing with this id.');
}

/** A property as a reader may know it. */
export interface SeenProperty {
  readonly property: StoredProperty;
  /** Newest first; never empty. */
  readonly shown: readonly StoredListing[];
  /** The listing it is told from. */
  readonly subject: StoredListing;
}

/** The property with what this reader may see of it. Throws PROPERTY_NOT_FOUND where that is nothing. */
export function seenProperty(
  property: StoredProperty | null,
  reader: { readonly ignoreDisplayRules: boolean },
): SeenProperty {
  const subject = property && subjectOf(property, reader);
  if (!property || !subject) throw propertyNotFound();
  return { property, shown: shownListings(property, reader), subject };
}

/** Neither when a copy was confirmed, nor anything about the request, makes an answer another one. */
const VOLATILE: readonly string[] = ['fetchedAt', 'meta'];

/** A short digest of what an answer says, whenever and for whomever it was written. */
export function contentDigest(json: unknown): string {
  const text = JSON.stringify(json, (key, value: unknown) => (VOLATILE.includes(key) ? undefined : value));
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/**
 * The answer with its weak tag, or 304. Last-Modified tells when the newest of these listings changed, Age how many
 * seconds ago the stalest of them was confirmed by its source. `now` in milliseconds since the epoch.
 */
export function propertyReply(
  request: IncomingHttpHeaders,
  reply: Reply,
  told: readonly StoredListing[],
  now: number,
): Reply {
  const changed = told.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), '');
  const stalest = told.reduce((oldest, { fetchedAt }) => Math.min(oldest, instant(fetchedAt) ?? now), now);
  const headers = {
    ...reply.headers,
    age: String(Math.max(0, Math.floor((now - stalest) / 1000))),
    ...(changed !== '' && { 'last-modified': new Date(changed).toUTCString() }),
    'x-data-source': 'cached',
  };
  return conditional(request, `W/"${contentDigest(reply.json)}"`, { ...reply, headers });
}
