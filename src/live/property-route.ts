// Owns GET /v1/property/{id}: which readers it fetches for, and what makes two answers the same.

import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Principal } from '../access/principal.ts';
import type { StoredListing, StoredProperty } from '../catalogue/catalogue.ts';
import { type Fields, parseFields, selectFields } from '../catalogue/fields.ts';
import type { View } from '../catalogue/present.ts';
import { PROPERTY_PARTS, type Property, presentProperty } from '../catalogue/property.ts';
import {
  contentDigest,
  PROPERTY_ACCESS,
  PropertyParams,
  propertyNotFound,
  seenProperty,
} from '../catalogue/property-answer.ts';
import { readerFor, viewOf } from '../catalogue/reader.ts';
import { displayParameter, fieldsParameter, unitsParameter } from '../catalogue/search-parameters.ts';
import { shownListings } from '../catalogue/subject.ts';
import { conditional } from '../http/etag.ts';
import { type Route, route } from '../http/route.ts';
import {
  FullPropertySchema,
  gathers,
  INCLUDABLE,
  type Includable,
  NO_PARTS,
  type PropertyParts,
} from '../market/property-parts.ts';
import type { LiveRouteOptions } from './route-options.ts';
import { asLiveError } from './stream.ts';
import { LatelyWritten, type Written, writtenOut } from './written.ts';

const Query = Type.Object({
  include: Type.Optional(
    Type.Array(Type.Unsafe<Includable>({ type: 'string', enum: [...INCLUDABLE] }), {
      maxItems: INCLUDABLE.length,
      description: 'Further parts of the record.',
    }),
  ),
  fields: fieldsParameter,
  units: unitsParameter,
  freshness: Type.Optional(
    Type.Unsafe<'auto' | 'cached'>({
      type: 'string',
      enum: ['auto', 'cached'],
      description: 'auto: fetched live where the tier has it; cached: never. Default auto.',
    }),
  ),
  display: displayParameter,
});

type PropertyQuery = Static<typeof Query>;

export function propertyRoute(options: LiveRouteOptions): Route<Principal> {
  const { catalogue, gather, clock, publicUrl } = options;
  const written = new LatelyWritten<Written>();
  return route<Principal>()({
    method: 'GET',
    path: '/v1/property/:id',
    operation: 'getProperty',
    tag: 'Properties',
    summary: 'One property, with the listing it has at present',
    description:
      'Business and Internal callers get data fetched live for this answer; where that fails, what is stored, with ' +
      'the reason in `live.error`.',
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    query: Query,
    answer: { description: 'The property', schema: FullPropertySchema },
    alsoAnswers: { 304: 'The property is as If-None-Match knows it.' },
    async handle(call) {
      const { params, query, caller, headers } = call;
      const view = viewOf(caller, query, clock.now(), publicUrl);
      const asked = { include: query.include ?? [], fields: parseFields(query.fields, FullPropertySchema) };
      const stored = await readerFor(headers, options).property(params.id);
      if (stored === null) throw propertyNotFound();
      const told = async (property: StoredProperty, as: View, live: Property['live']) => {
        const parts = gathers(asked.include)
          ? await gather(seenProperty(property, as), asked.include, as)
          : NO_PARTS;
        return compose(property, as, asked, { live, parts });
      };
      if (!fetchesFor(caller, query, options)) {
        const { etag, reply } = gathers(asked.include)
          ? await told(stored, view, null)
          : written.get(stored, JSON.stringify(query), view.now, () =>
              writtenOut(compose(stored, view, asked, { live: null, parts: NO_PARTS })),
            );
        return conditional(headers, etag, reply);
      }
      const { subject } = seenProperty(stored, view);
      const live = await fetchLive(subject, call.signal, options);
      const known = (await catalogue.property(subject.id)) ?? stored;
      const source = live.ok ? 'live' : 'cached';
      const { etag, reply } = await told(known, { ...view, source, now: clock.now() }, live);
      return conditional(headers, etag, reply);
    },
  });
}

/** The answer about a property to this reader. Throws where display rules leave nothing of it. */
function compose(
  stored: StoredProperty,
  view: View,
  { include, fields }: { readonly include: readonly Includable[]; readonly fields: Fields },
  { live, parts }: { readonly live: Property['live']; readonly parts: PropertyParts },
): Written {
  const own = PROPERTY_PARTS.filter((part) => include.includes(part));
  const record = presentProperty(stored, view, { include: own, live });
  if (record === null) throw propertyNotFound();
  // What is hidden from the reader must not show in the tag or the date either.
  const seen = seenBy(stored, view);
  return {
    etag: entityTag(seen, record, parts),
    reply: {
      json: selectFields({ ...record, ...parts }, fields),
      headers: freshnessHeaders(seen, record),
    },
  };
}

function seenBy(property: StoredProperty, view: View): StoredProperty {
  const { id, history } = property;
  const shown = shownListings(property, view);
  const ids = new Set(shown.map((listing) => listing.id));
  return { id, listings: shown, history: history.filter((line) => ids.has(line.listingId)) };
}

function fetchesFor(caller: Principal, query: PropertyQuery, { tiers }: LiveRouteOptions): boolean {
  const granted = caller.scopes === null || caller.scopes.has('listings:live');
  return tiers[caller.tier].live && granted && query.freshness !== 'cached';
}

async function fetchLive(
  subject: StoredListing,
  signal: AbortSignal,
  { refresh, clock }: LiveRouteOptions,
): Promise<NonNullable<Property['live']>> {
  const from = clock.monotonic();
  const error = await refresh(subject, signal).then(
    () => null,
    (reason: unknown) => asLiveError(reason).code,
  );
  const durationMs = Math.round(clock.monotonic() - from);
  return { attempted: error !== 'live_unsupported', ok: error === null, error, durationMs };
}

/** Weak: the same for the same versions, whenever and however fresh they were read. */
function entityTag(
  { id, listings, history }: StoredProperty,
  record: Property,
  parts: PropertyParts,
): string {
  const state = [
    id,
    listings.map((listing) => [listing.id, listing.version]),
    history.length,
    record.areaIds,
    record.currentListing?.cumulativeDaysOnMarket,
    record.listings?.map((listing) => listing.daysOnMarket),
    ...(parts === NO_PARTS ? [] : [contentDigest(parts)]),
  ];
  return `W/"${hash('sha256', JSON.stringify(state), 'base64url').slice(0, 22)}"`;
}

function freshnessHeaders({ listings }: StoredProperty, record: Property): Record<string, string> {
  const changed = listings.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), '');
  return {
    age: String(record.cacheAgeSeconds),
    'last-modified': new Date(changed).toUTCString(),
    'x-data-source': record.source,
  };
}
