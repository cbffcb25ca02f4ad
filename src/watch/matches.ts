// Current matches of a watcher: the listings that it watches now, as its owner sees them.

import { Type } from 'typebox';
import { TierSchema } from '../access/tiers/tier-schema.ts';
import { type Principal, pageSize } from '../access/tiers/tiers.ts';
import type { CallUsage } from '../http/frame/call-usage.ts';
import { queryDigest, readCursor, writeCursor } from '../http/input/cursor.ts';
import type { Reply } from '../http/output/reply.ts';
import { Problem } from '../lib/problem.ts';
import { fieldsParameter } from '../listings/common-parameters.ts';
import { PageSchema, pageLinks } from '../listings/paging.ts';
import { presentListing, type ReaderView } from '../listings/presenter.ts';
import { sourcesOf } from '../listings/provenance/data-source-store.ts';
import { ListingSchema } from '../listings/record.ts';
import { parseFields, selectFields } from '../listings/sparse-fields.ts';
import type { StoredListing } from '../listings/store.ts';
import { exactTotal, type FoundTotal, TotalNoteSchema, TotalSchema } from '../search/summaries/total.ts';
import { findTargetListings, viewOf, type WatcherOptions } from './resolve-target.ts';
import type { PageOptions } from './saved-matches.ts';
import type { Watcher } from './watcher.ts';

export const MatchesQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Listings per page: 20 by default, at most your tier’s page size.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 2_000, description: '`page.nextCursor` or `page.prevCursor` of another page.' }),
  ),
  fields: fieldsParameter,
});

export const MatchListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ListingSchema),
    page: PageSchema,
    total: TotalSchema,
    meta: Type.Object({
      requestId: Type.String(),
      totalNote: TotalNoteSchema,
      sources: sourcesOf('The sources of the listings on this page, sorted by id.'),
      tier: TierSchema,
    }),
  },
  { $id: 'MatchList', description: 'One page of the listings that a watcher watches now, the newest first.' },
);

interface MatchesRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly fields?: readonly string[] | undefined;
}

interface MatchesCall {
  readonly caller: Principal;
  readonly requestId: string;
  readonly usage: CallUsage;
  /** Path and query, for links to further pages. */
  readonly url: string;
}

interface MatchesPage {
  readonly listings: readonly StoredListing[];
  readonly page: {
    readonly limit: number;
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly prevCursor: string | null;
  };
  readonly counted: FoundTotal;
}

/** Answers a page. Throws INVALID_CURSOR, INVALID_PARAMETER for unknown fields. */
export async function answerMatches(
  options: WatcherOptions,
  watcher: Watcher,
  query: MatchesRequest,
  { caller, requestId, usage, url }: MatchesCall,
): Promise<Reply> {
  const fields = parseFields(query.fields, ListingSchema, undefined);
  const limit = pageSize(options.tiers[caller.tier], query.limit);
  const { search, ignoreDisplayRules } = watcher;
  const view: ReaderView = {
    ...viewOf(options, caller),
    units: search?.units ?? 'imperial',
    ignoreDisplayRules,
  };
  const { listings, page, counted } = await findMatches(options, watcher, view, {
    caller: caller.account,
    reach: view.reach,
    limit,
    cursor: query.cursor,
  });
  const data = listings.flatMap((stored) => {
    const listing = presentListing(stored, view);
    if (listing === null) return [];
    usage.shows(stored.source);
    return [selectFields(listing, fields)];
  });
  const sources = await options.readSources(
    listings.map(({ source }) => source),
    view.reach,
  );
  return {
    json: {
      object: 'list',
      data,
      page,
      total: counted.total,
      meta: { requestId, totalNote: counted.note, sources, tier: caller.tier },
    },
    headers: pageLinks(options.publicUrl, url, page),
  };
}

async function findMatches(
  options: WatcherOptions,
  { id, target, search, ignoreDisplayRules }: Watcher,
  view: ReaderView,
  { caller, ...request }: PageOptions & { readonly caller: string },
): Promise<MatchesPage> {
  if (target.type === 'market')
    throw new Problem(
      'CONFLICT',
      'This watcher watches a figure of the market, which has no listings; GET /v1/market/stats shows it.',
    );
  if (target.type !== 'search')
    return sliceListings(
      await findTargetListings(options, target, view),
      queryDigest(['matches', id]),
      request,
    );
  if (search === null) throw new Error('A watcher of a search has no search');
  const saved = { ...search, ignoreDisplayRules };
  const { hits, page, counted } = await options.searches.page(saved, caller, request);
  return { listings: hits.map(({ listing }) => listing), page, counted };
}

/** A page of few listings, in their order; it goes on behind a listing, whatever came before it meanwhile. */
function sliceListings(
  listings: readonly StoredListing[],
  query: string,
  { limit, cursor }: PageOptions,
): MatchesPage {
  const last = cursor === undefined ? null : readCursor(cursor, query, []).id;
  const rest = listings.slice(listings.findIndex((listing) => listing.id === last) + 1);
  const shown = rest.slice(0, limit);
  const end = rest.length > limit ? shown.at(-1) : undefined;
  const nextCursor =
    end === undefined
      ? null
      : writeCursor({ query, direction: 'next', startedAt: 0, values: [], id: end.id });
  return {
    listings: shown,
    page: { limit, hasMore: nextCursor !== null, nextCursor, prevCursor: null },
    counted: exactTotal(listings.length),
  };
}
