// Routes of the log of changes: what happened to all listings, page by page or as lines.

import { type Static, Type } from 'typebox';
import { TierSchema } from '../../access/tiers/tier-schema.ts';
import { type Principal, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import type { CallUsage } from '../../http/frame/call-usage.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import { LogPageSchema } from '../../http/output/log-page.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { displayParameter, unitsParameter } from '../../listings/common-parameters.ts';
import { buildReaderView, type ReaderView } from '../../listings/presenter.ts';
import {
  AddressSchema,
  ListingSchema,
  nullable,
  oneOf,
  SummaryLocationSchema,
  text,
} from '../../listings/record.ts';
import { abortableDatabase, type Database } from '../../postgres/client/database.ts';
import { headSequence, isInGap } from '../change-store.ts';
import { type PublicChange, readChangePage } from './change-pages.ts';

export interface ChangeRouteOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

const { properties: listing } = ListingSchema;
const { properties: address } = AddressSchema;
const { properties: openHouse } = listing.openHouses.items;

export const ListingSummarySchema = Type.Object(
  {
    ...Type.Pick(ListingSchema, [
      'id',
      'object',
      'propertyId',
      'listingType',
      'status',
      'price',
      'currency',
      'priceFrequency',
      'priceMonthly',
      'previousPrice',
      'originalPrice',
      'closePrice',
      'propertyType',
      'propertySubType',
      'bedrooms',
      'bathrooms',
      'livingArea',
      'lotSize',
      'yearBuilt',
      'photoCount',
      'listedAt',
      'statusChangedAt',
      'closedAt',
      'areaUnit',
      'attribution',
      'fetchedAt',
    ] as const).properties,
    location: SummaryLocationSchema,
    address: Type.Object({
      full: address.full,
      line1: address.line1,
      unit: address.unit,
      city: address.city,
      neighborhood: address.neighborhood,
      county: address.county,
      state: address.state,
      postalCode: address.postalCode,
      country: address.country,
    }),
    openHouses: Type.Array(
      Type.Object({
        id: openHouse.id,
        startsAt: openHouse.startsAt,
        endsAt: openHouse.endsAt,
        type: openHouse.type,
        status: openHouse.status,
      }),
    ),
  },
  { $id: 'ListingSummary', description: 'A listing in short: no description, photos or agent.' },
);

const ChangeSchema = Type.Object(
  {
    sequence: Type.Integer({ description: 'Grows in the order in which changes were committed.' }),
    object: Type.Literal('change'),
    type: oneOf(
      ['created', 'updated', 'removed'] as const,
      'removed: the source deleted the listing, or you may no longer see it; then `listing` is null.',
    ),
    listingId: Type.String(),
    propertyId: text,
    at: nullable(Type.String({ format: 'date-time', description: 'When this service wrote the change.' })),
    changedFields: Type.Array(Type.String(), {
      description:
        'Members of the listing that differ; empty if it is new, or if the change is older than the log.',
    }),
    listing: nullable(ListingSummarySchema),
    url: nullable(Type.String({ format: 'uri' })),
  },
  { $id: 'Change' },
);

const ChangeList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ChangeSchema),
    page: LogPageSchema,
    meta: Type.Object({ requestId: Type.String(), tier: TierSchema }),
  },
  { $id: 'ChangeList', description: 'Changes, the oldest first.' },
);

const ChangeQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      pattern: '^(now|[0-9]{1,15})$',
      hints: ['cursor', 'since', 'since_id', 'starting_after', 'from', 'offset', 'sequence'],
      description:
        'The sequence of the last change that you have read, `nextCursor` of the last page, or `now` for new changes ' +
        'only. Default: 0, which begins with every listing that there is.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      hints: ['pageSize', 'per_page', 'size', 'count'],
      description: 'Changes in a page.',
    }),
  ),
  units: unitsParameter,
  display: displayParameter,
});

const LINES = 'application/x-ndjson';

type ChangeCall = RequestContext<Principal, Static<typeof ChangeQuery>, unknown, unknown>;

export function changeRoutes(options: ChangeRouteOptions): readonly Route<Principal>[] {
  const { database, clock, tiers, publicUrl } = options;
  const common = {
    method: 'GET',
    tag: 'Watchers',
    access: { credentials: 'required', tier: 'business', scope: 'watchers', counts: 'month' },
    codes: ['INVALID_CURSOR', 'CURSOR_EXPIRED'],
    query: ChangeQuery,
  } as const;
  const define = route<Principal>();
  return [
    define({
      ...common,
      path: '/v1/changes',
      operation: 'listChanges',
      summary: 'List the changes of all listings',
      description:
        'Every change of every listing, in the order in which they were committed: enough to keep a copy. The log holds 30 ' +
        'days; of older changes, the last of each listing is listed with the listing as it is now, so whoever starts at 0 ' +
        'ends complete. Accept `application/x-ndjson` selects JSON lines, which also have a path of their own: ' +
        '`/v1/changes/ndjson`.',
      accepts: ['application/json', LINES],
      answer: { description: 'A page of changes', schema: ChangeList },
      handle,
    }),
    define({
      ...common,
      path: '/v1/changes/ndjson',
      operation: 'exportChanges',
      summary: 'Get the changes of all listings, as JSON lines',
      description: 'The same changes, one a line: without `limit`, all in one response.',
      accepts: [LINES],
      answer: { description: 'A line of JSON for each change' },
      handle,
    }),
  ];

  async function handle({ caller, query, requestId, usage, mediaType, signal }: ChangeCall): Promise<Reply> {
    const view = buildReaderView(caller, query, clock.now(), publicUrl);
    const limit = pageSize(tiers[caller.tier], query.limit);
    const after = await startAfter(database, query.after);
    if (mediaType === LINES && query.limit === undefined)
      return asLines({ chunks: exportLines(abortableDatabase(database, signal), after, view, usage) });
    const { changes, shown, hasMore, next } = await readChangePage(database, after, limit, view);
    for (const source of shown) usage.shows(source);
    if (mediaType === LINES) return asLines({ bytes: Buffer.from(linesOf(changes)) });
    const page = { limit, hasMore, nextCursor: String(next) };
    return { json: { object: 'list', data: changes, page, meta: { requestId, tier: caller.tier } } };
  }
}

/**
 * The sequence to begin after. Throws CURSOR_EXPIRED for a change that a restored backup does not have, and INVALID_CURSOR for
 * one that does not exist yet: it is of another database.
 */
async function startAfter(database: Database, after = '0'): Promise<number> {
  const head = await database.read(headSequence);
  if (after === 'now') return head;
  if (await database.read((sql) => isInGap(sql, Number(after))))
    throw new Problem(
      'CURSOR_EXPIRED',
      'The service was restored from a backup that is older than this change: changes since may be lost. Begin at 0, ' +
        'which ends with every listing as it is.',
    );
  if (Number(after) <= head) return Number(after);
  const detail = `is past the newest change, ${head}: begin at 0 if the service was restored from a backup`;
  throw new Problem('INVALID_CURSOR', `after ${detail}.`, { errors: [{ parameter: 'after', detail }] });
}

const asLines = (body: Pick<Reply, 'chunks' | 'bytes'>): Reply => ({
  ...body,
  headers: { 'content-type': `${LINES}; charset=utf-8` },
});

const linesOf = (changes: readonly PublicChange[]): string =>
  changes.map((change) => `${JSON.stringify(change)}\n`).join('');

/** Changes read at once. */
const BATCH = 200;

/** All changes there are, one a line, as fast as the client takes them. */
async function* exportLines(
  database: Database,
  from: number,
  view: ReaderView,
  usage: CallUsage,
): AsyncGenerator<string> {
  for (let after = from; ; ) {
    const { changes, shown, hasMore, next } = await readChangePage(database, after, BATCH, view);
    for (const source of shown) usage.shows(source);
    if (changes.length > 0) yield linesOf(changes);
    if (!hasMore) return;
    after = next;
  }
}
