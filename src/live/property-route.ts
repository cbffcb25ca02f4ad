// Owns GET /v1/property/{id}: which readers it fetches for, and what makes two answers the same.

import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Principal } from '../access/principal.ts';
import type { StoredListing, StoredProperty } from '../catalogue/catalogue.ts';
import { type Fields, parseFields, selectFields } from '../catalogue/fields.ts';
import { isShown, type View } from '../catalogue/present.ts';
import {
  CURRENT,
  PROPERTY_PARTS,
  type Property,
  type PropertyPart,
  PropertySchema,
  presentProperty,
} from '../catalogue/property.ts';
import { viewOf } from '../catalogue/reader.ts';
import { displayParameter, fieldsParameter, unitsParameter } from '../catalogue/search-parameters.ts';
import { conditional } from '../http/etag.ts';
import { type Route, route } from '../http/route.ts';
import { Problem } from '../lib/problem.ts';
import { type LiveRouteOptions, readerFor } from './route-options.ts';
import { asLiveError } from './stream.ts';
import { LatelyWritten, type Written, writtenOut } from './written.ts';

const Params = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    missing: 'PROPERTY_NOT_FOUND',
    description: 'The id of a property, or of any of its listings.',
  }),
});

const Query = Type.Object({
  include: Type.Optional(
    Type.Array(Type.Unsafe<PropertyPart>({ type: 'string', enum: [...PROPERTY_PARTS] }), {
      maxItems: PROPERTY_PARTS.length,
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
  const { catalogue, clock, publicUrl } = options;
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
    access: { credentials: 'required', scope: 'listings:read', counts: 'month' },
    params: Params,
    query: Query,
    answer: { description: 'The property', schema: PropertySchema },
    alsoAnswers: { 304: 'The property is as If-None-Match knows it.' },
    async handle(call) {
      const { params, query, caller, headers } = call;
      const view = viewOf(caller, query, clock.now(), publicUrl);
      const asked = { include: query.include ?? [], fields: parseFields(query.fields, PropertySchema) };
      const stored = await readerFor(headers, options).property(params.id);
      if (stored === null) throw notFound();
      if (!fetchesFor(caller, query, options)) {
        const { etag, reply } = written.get(stored, JSON.stringify(query), view.now, () =>
          writtenOut(compose(stored, view, asked, null)),
        );
        return conditional(headers, etag, reply);
      }
      const subject = subjectOf(stored, view);
      if (subject === null) throw notFound();
      const live = await fetchLive(subject, call.signal, options);
      const known = (await catalogue.property(subject.id)) ?? stored;
      const source = live.ok ? 'live' : 'cached';
      const { etag, reply } = compose(known, { ...view, source, now: clock.now() }, asked, live);
      return conditional(headers, etag, reply);
    },
  });
}

/** The answer about a property to this reader. Throws where display rules leave nothing of it. */
function compose(
  stored: StoredProperty,
  view: View,
  { include, fields }: { readonly include: readonly PropertyPart[]; readonly fields: Fields },
  live: Property['live'],
): Written {
  const record = presentProperty(stored, view, { include, live });
  if (record === null) throw notFound();
  // What is hidden from the reader must not show in the tag or the date either.
  const seen = seenBy(stored, view);
  return {
    etag: entityTag(seen, record),
    reply: {
      json: selectFields(record, fields),
      headers: freshnessHeaders(seen, record),
    },
  };
}

function notFound(): Problem {
  return new Problem('PROPERTY_NOT_FOUND', 'There is no property, and no listing of one, with this id.');
}

/** The listing that the record will be told from: the one on the market, else the newest. */
function subjectOf({ listings }: StoredProperty, view: View): StoredListing | null {
  const shown = listings.filter((listing) => isShown(listing, view));
  return shown.find(({ status }) => CURRENT.includes(status)) ?? shown[0] ?? null;
}

function seenBy({ id, listings, history }: StoredProperty, view: View): StoredProperty {
  const shown = listings.filter((listing) => isShown(listing, view));
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
function entityTag({ id, listings, history }: StoredProperty, record: Property): string {
  const state = [
    id,
    listings.map((listing) => [listing.id, listing.version]),
    history.length,
    record.areaIds,
    record.currentListing?.cumulativeDaysOnMarket,
    record.listings?.map((listing) => listing.daysOnMarket),
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
