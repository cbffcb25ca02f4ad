// Owns GET /v1/property/{id}: which readers it fetches for, and what makes two answers the same.

import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { type Call, type Reply, type Route, route } from '../http/frame/route.ts';
import { conditional } from '../http/output/etag.ts';
import { type Fields, parseFields, selectFields } from '../listings/fields.ts';
import type { View } from '../listings/present.ts';
import { PROPERTY_PARTS, type Property, presentProperty } from '../listings/property.ts';
import { readerFor, viewOf } from '../listings/reader.ts';
import type { StoredListing, StoredProperty } from '../listings/stored-listing.ts';
import type { LiveRouteOptions } from '../live/route-options.ts';
import { asLiveError } from '../live/stream.ts';
import { LatelyWritten, type Written, writtenOut } from '../live/written.ts';
import { displayParameter, fieldsParameter, unitsParameter } from '../search/query/search-parameters.ts';
import {
  contentDigest,
  PROPERTY_ACCESS,
  PropertyParams,
  propertyNotFound,
  seenProperty,
} from './property-answer.ts';
import {
  FullPropertySchema,
  gathers,
  INCLUDABLE,
  type Includable,
  NO_PARTS,
  type PropertyParts,
} from './property-parts.ts';
import { shownListings } from './subject.ts';

const Query = Type.Object({
  include: Type.Optional(
    Type.Array(Type.Unsafe<Includable>({ type: 'string', enum: [...INCLUDABLE] }), {
      maxItems: INCLUDABLE.length,
      description:
        'Additional parts of the record. `daysOnMarket` adds `cumulativeDaysOnMarket` and `daysOnMarketReported` ' +
        'to each listing in it.',
    }),
  ),
  fields: fieldsParameter,
  units: unitsParameter,
  freshness: Type.Optional(
    Type.Unsafe<'auto' | 'cached'>({
      type: 'string',
      enum: ['auto', 'cached'],
      description: '`auto` (default): fetch live if the tier includes it. `cached`: never.',
    }),
  ),
  display: displayParameter,
});

type PropertyQuery = Static<typeof Query>;

type PropertyCall = Call<Principal, PropertyQuery, Static<typeof PropertyParams>, unknown>;

export function propertyRoute(options: LiveRouteOptions): Route<Principal> {
  const { catalogue, gather, clock } = options;
  const written = new LatelyWritten<Written>();
  return route<Principal>()({
    method: 'GET',
    path: '/v1/property/:id',
    operation: 'getProperty',
    tag: 'Properties',
    summary: 'Get a property with its current listing',
    description:
      'Business and Internal callers get data fetched live for this response. If that fails, they get the ' +
      'stored data, with the reason in `live.error`.',
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    query: Query,
    answer: { description: 'The property', schema: FullPropertySchema },
    alsoAnswers: { 304: 'The property still matches If-None-Match.' },
    handle(call) {
      const found = readerFor(call.headers, options).property(call.params.id);
      return found instanceof Promise ? found.then((stored) => told(call, stored)) : told(call, found);
    },
  });

  /** What needs nothing but memory is told at once. */
  function told(call: PropertyCall, stored: StoredProperty | null): Reply | Promise<Reply> {
    const { query, caller } = call;
    if (stored === null) throw propertyNotFound();
    const asked = askedOf(call, options);
    if (fetchesFor(caller, query, options)) return toldLive(call, stored, asked);
    if (gathers(asked.include)) return toldWithParts(call, stored, asked, null);
    const { view } = asked;
    const { etag, reply } = written.get(stored, JSON.stringify(query), view.now, () =>
      writtenOut(compose(stored, asked, { live: null, parts: NO_PARTS })),
    );
    return conditional(call.headers, etag, reply);
  }

  async function toldLive(call: PropertyCall, stored: StoredProperty, asked: Asked): Promise<Reply> {
    const { subject } = seenProperty(stored, asked.view);
    const live = await fetchLive(subject, call.signal, options);
    const known = (await catalogue.property(subject.id)) ?? stored;
    const view: View = { ...asked.view, source: live.ok ? 'live' : 'cached', now: clock.now() };
    return toldWithParts(call, known, { ...asked, view }, live);
  }

  async function toldWithParts(
    { headers }: PropertyCall,
    stored: StoredProperty,
    asked: Asked,
    live: Property['live'],
  ): Promise<Reply> {
    const { include, view } = asked;
    const parts = gathers(include) ? await gather(seenProperty(stored, view), include, view) : NO_PARTS;
    const { etag, reply } = compose(stored, asked, { live, parts });
    return conditional(headers, etag, reply);
  }
}

/** What a call wants to see, and as whom. */
interface Asked {
  readonly view: View;
  readonly include: readonly Includable[];
  readonly fields: Fields;
}

function askedOf({ caller, query }: PropertyCall, { clock, publicUrl }: LiveRouteOptions): Asked {
  return {
    view: viewOf(caller, query, clock.now(), publicUrl),
    include: query.include ?? [],
    fields: parseFields(query.fields, FullPropertySchema, query.include),
  };
}

/** The answer about a property to this reader. Throws where display rules leave nothing of it. */
function compose(
  stored: StoredProperty,
  { view, include, fields }: Asked,
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
    listings.map((listing) => [listing.id, listing.version, listing.earlierDays]),
    history.length,
    record.areaIds,
    record.currentListing?.daysOnMarket,
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
