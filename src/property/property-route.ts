// Route of one property: cached or fetched live, with the parts that the request includes.

import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, contentEtag } from '../http/output/etag.ts';
import type { Headers, Reply } from '../http/output/reply.ts';
import { displayParameter, fieldsParameter, unitsParameter } from '../listings/common-parameters.ts';
import { buildReaderView, type ReaderView, VOLATILE_MEMBERS } from '../listings/presenter.ts';
import { readsFor } from '../listings/property-cache.ts';
import { PROPERTY_PARTS, type Property, presentProperty } from '../listings/property-record.ts';
import { type Fields, parseFields, selectFields } from '../listings/sparse-fields.ts';
import type { StoredListing, StoredProperty } from '../listings/store.ts';
import { type Refresh, toLiveError } from '../live/refresh.ts';
import {
  FullPropertySchema,
  findIncludedParts,
  INCLUDABLE,
  type Includable,
  NO_PARTS,
  needsLookup,
  type PropertyParts,
} from './included-parts.ts';
import {
  lastModified,
  PROPERTY_ACCESS,
  type PropertyCall,
  PropertyParams,
  type PropertyRouteOptions,
} from './property-endpoint.ts';
import { propertyNotFound, visibleProperty } from './subject-property.ts';

const PropertyQuery = Type.Object({
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

type Call = PropertyCall<typeof PropertyQuery>;

export interface LivePropertyOptions extends PropertyRouteOptions {
  readonly refresh: Refresh;
}

export function propertyRoute(options: LivePropertyOptions): Route<Principal> {
  const responses = new ResponseCache();
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
    query: PropertyQuery,
    answer: { description: 'The property', schema: FullPropertySchema },
    alsoAnswers: { 304: 'The property still matches If-None-Match.' },
    async handle(call) {
      const { query, headers, params } = call;
      const stored = await readsFor(headers, options).property(params.id);
      if (stored === null) throw propertyNotFound();
      const selection = selectionOf(call, options);
      if (isLive(call, options)) return replyLive(call, stored, selection, options);
      const { view, include } = selection;
      if (needsLookup(include)) return replyWithParts(call, stored, selection, null, options);
      const response = responses.get(stored, `${JSON.stringify(query)} ${view.reach.key}`, view.now, () =>
        compose(stored, selection, { live: null, parts: NO_PARTS }),
      );
      return unlessKnown(call, response, view.now);
    },
  });
}

async function replyLive(
  call: Call,
  stored: StoredProperty,
  selection: Selection,
  options: LivePropertyOptions,
): Promise<Reply> {
  const { subject } = visibleProperty(stored, selection.view);
  const live = await fetchLive(subject, call.signal, options);
  const current = (await options.catalogue.property(subject.id)) ?? stored;
  const view: ReaderView = {
    ...selection.view,
    source: live.ok ? 'live' : 'cached',
    now: options.clock.now(),
  };
  return replyWithParts(call, current, { ...selection, view }, live, options);
}

async function replyWithParts(
  call: Call,
  stored: StoredProperty,
  selection: Selection,
  live: Property['live'],
  options: LivePropertyOptions,
): Promise<Reply> {
  const { include, view } = selection;
  const parts = needsLookup(include)
    ? // However fresh the property is, its parts are as they are stored.
      await findIncludedParts(
        options,
        visibleProperty(stored, { ...view, source: 'cached' }),
        include,
        call.usage,
      )
    : NO_PARTS;
  const answer = compose(stored, selection, { live, parts });
  // The looked-up parts change without the property, and a live read is never confirmed by its date.
  return unlessKnown(call, answer, live === null && !needsLookup(include) ? view.now : undefined);
}

/** The reply, or a 304 if the client has it; its date counts only if `now` is given, in milliseconds since the epoch. */
function unlessKnown({ headers, usage }: Call, { etag, reply, shown }: TaggedReply, now?: number): Reply {
  for (const source of shown) usage.shows(source);
  return conditional(headers, etag, reply, now);
}

/** What a request selects of the property, and how its reader sees it. */
interface Selection {
  readonly view: ReaderView;
  readonly include: readonly Includable[];
  readonly fields: Fields;
}

function selectionOf({ caller, query }: Call, { clock, publicUrl }: PropertyRouteOptions): Selection {
  return {
    view: buildReaderView(caller, query, clock.now(), publicUrl),
    include: query.include ?? [],
    fields: parseFields(query.fields, FullPropertySchema, query.include),
  };
}

/** The reply with its entity tag. Throws PROPERTY_NOT_FOUND if display rules hide every listing. */
function compose(
  stored: StoredProperty,
  { view, include, fields }: Selection,
  { live, parts }: { readonly live: Property['live']; readonly parts: PropertyParts },
): TaggedReply {
  const { listings, subject } = visibleProperty(stored, view);
  const own = PROPERTY_PARTS.filter((part) => include.includes(part));
  const record = presentProperty(stored, view, { include: own, live });
  if (record === null) throw propertyNotFound();
  const etag = entityTag({ ...stored, listings }, record, parts, view.reach);
  const shown = own.length > 0 ? listings : [subject];
  return {
    etag,
    shown: shown.map(({ source }) => source),
    reply: {
      json: selectFields({ ...record, ...parts }, fields),
      headers: {
        etag,
        age: String(record.cacheAgeSeconds),
        'last-modified': lastModified(listings),
        'x-data-source': record.source,
      },
    },
  };
}

/** A reply with its entity tag, which its headers hold too. */
interface TaggedReply {
  /** The sources of the listings that it shows, one for each. */
  readonly shown: readonly string[];
  readonly etag: string;
  readonly reply: Reply & { readonly headers: Headers };
}

interface CachedResponse {
  readonly second: number;
  readonly response: TaggedReply;
}

/** Maximum number of cached requests for one record. */
const MAX_VARIANTS = 8;

/**
 * Composing and serialising a property takes 45 % of the processor time of its request. A response holds its age in seconds,
 * so it is valid for one; it goes with its record, since a change makes a new object.
 */
class ResponseCache {
  readonly #responses = new WeakMap<object, Map<string, CachedResponse>>();

  /** The response to this request about the record, composed now where it is not cached. `now` in milliseconds. */
  get(record: object, request: string, now: number, compose: () => TaggedReply): TaggedReply {
    const second = Math.floor(now / 1000);
    const variants = this.#responses.get(record) ?? new Map<string, CachedResponse>();
    const cached = variants.get(request);
    if (cached?.second === second) return cached.response;
    if (variants.size >= MAX_VARIANTS) variants.clear();
    const response = withText(compose());
    variants.set(request, { second, response });
    this.#responses.set(record, variants);
    return response;
  }
}

/** The reply with its JSON as text. */
function withText({ etag, shown, reply: { json, headers, ...rest } }: TaggedReply): TaggedReply {
  const contentType = { 'content-type': 'application/json; charset=utf-8' };
  return {
    etag,
    shown,
    reply: { ...rest, text: JSON.stringify(json), headers: { ...contentType, ...headers } },
  };
}

function isLive({ caller, query }: Call, { tiers }: PropertyRouteOptions): boolean {
  const granted = caller.scopes === null || caller.scopes.has('listings:live');
  return tiers[caller.tier].live && granted && query.freshness !== 'cached';
}

async function fetchLive(
  subject: StoredListing,
  signal: AbortSignal,
  { refresh, clock }: LivePropertyOptions,
): Promise<NonNullable<Property['live']>> {
  const from = clock.monotonic();
  const error = await refresh(subject, signal).then(
    () => null,
    (reason: unknown) => toLiveError(reason).code,
  );
  const durationMs = Math.round(clock.monotonic() - from);
  return { attempted: error !== 'live_unsupported', ok: error === null, error, durationMs };
}

/** A weak entity tag: the same for the same versions of the visible listings, whenever they were read. */
function entityTag(
  { id, listings, history }: StoredProperty,
  record: Property,
  parts: PropertyParts,
  reach: ReaderView['reach'],
): string {
  const visible = new Set(listings.map((listing) => listing.id));
  const state = [
    id,
    listings.map(({ source }) => reach.displayOf(source)),
    listings.map((listing) => [listing.id, listing.version, listing.earlierDays]),
    history.filter(({ listingId }) => visible.has(listingId)).length,
    record.areaIds,
    record.currentListing?.daysOnMarket,
    record.listings?.map((listing) => listing.daysOnMarket),
    ...(parts === NO_PARTS ? [] : [contentEtag(parts, VOLATILE_MEMBERS)]),
  ];
  return `W/"${hash('sha256', JSON.stringify(state), 'base64url').slice(0, 22)}"`;
}
