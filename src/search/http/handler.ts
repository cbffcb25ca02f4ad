// Search handler: plans, resolves, reads, and answers in the requested format.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../access/tiers/principal.ts';
import { atLeast, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import { createAreaIdCache } from '../../areas/area-cache.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { pageLinks } from '../../listings/paging.ts';
import { buildReaderView } from '../../listings/presenter.ts';
import { bypassesCache, type CachedReads } from '../../listings/property-cache.ts';
import type { FindLoading, Loading } from '../../listings/provenance/loading.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import { abortableDatabase, type Database } from '../../postgres/client/database.ts';
import { createCrowd } from '../legacy/crowd.ts';
import type { SearchQuery } from '../query/parameters.ts';
import { planSearch, type ResolvedQuery, type SearchPlan } from '../query/plan.ts';
import type { AnalyticsQueue } from '../summaries/analytics-queue.ts';
import { withoutClusterCursor } from '../summaries/cluster-store.ts';
import type { FindCurrencies } from '../summaries/currency-store.ts';
import { explainSearch } from '../summaries/explain-store.ts';
import {
  abortableSearchReads,
  cacheSearchReads,
  createSearchReads,
  type SearchReads,
} from '../summaries/search-reads.ts';
import { createTotals, exactTotal, type Total } from '../summaries/total.ts';
import {
  contentType,
  exportLines,
  featureOf,
  formatOf,
  headOf,
  linesOf,
  listReply,
  type Presentation,
  presentRows,
  refuseBackwards,
} from './formats.ts';
import { createSearch, type Page, type Search, type SearchPage } from './pagination.ts';
import { findPlaceSuggestions } from './place-suggestion-store.ts';
import { requireOneCurrency } from './require-currency.ts';
import { resolveQuery } from './resolve-query.ts';

export interface SearchOptions {
  readonly database: Database;
  readonly analytics: AnalyticsQueue;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  /** Tells of changes, so that what was found before them is not believed. */
  readonly cache: Pick<CachedReads, 'version'>;
  /** When any source last sent data, RFC 3339; null: never. */
  readonly dataAsOf: () => Promise<string | null>;
  readonly findLoading: FindLoading;
  readonly findCurrencies: FindCurrencies;
}

/** What of a request a search is answered by. */
export interface SearchRequest {
  readonly type: ListingType;
  readonly query: SearchQuery;
  readonly caller: Principal;
  readonly requestId: string;
  readonly mediaType: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the client has left; made on first use. */
  readonly left: () => AbortSignal;
  /** The address of a GET, for links to other pages; null: the query stands in a body. */
  readonly url: string | null;
}

interface SearchReader {
  readonly search: Search;
  readonly reads: SearchReads;
  /** Throws INVALID_PARAMETER for an area that there is not. */
  readonly resolve: (plan: SearchPlan) => Promise<ResolvedQuery>;
  /** The plan in the one currency of the query. Throws INVALID_PARAMETER where it finds several. */
  readonly requireOneCurrency: (
    plan: SearchPlan,
    resolved: ResolvedQuery,
    query: SearchQuery,
  ) => Promise<SearchPlan>;
  readonly queued: Database;
  /** For one answer, whose reads of all results end as the signal aborts. */
  readonly within: (signal: AbortSignal) => SearchReader;
}

/** One search under way. */
interface SearchJob extends Presentation, SearchReader {
  readonly options: SearchOptions;
  readonly request: SearchRequest;
  readonly resolved: ResolvedQuery;
  /** As it was before anything was counted. */
  readonly loading: Loading | null;
}

const REMEDY =
  'Remove facets, stats, explain, cluster or count=exact, or search a smaller place with fewer filters.';

/** The most values of a facet, where the tier's page does not hold fewer. */
const MAX_FACET_VALUES = 100;

/** The lowest tier that gets all results in one answer. */
const EXPORT_TIER = 'business';

/** What is read of the database each time, and what is remembered for whoever does not mind. */
export interface SearchReaders {
  readonly fresh: SearchReader;
  readonly cached: SearchReader;
  /** Of the database, until the signal aborts. */
  until(signal: AbortSignal): SearchReader;
}

export function createSearchReaders(options: SearchOptions): SearchReaders {
  const { database, analytics, cache, clock, findCurrencies } = options;
  const queued = analytics.database(REMEDY);
  const areas = createAreaIdCache(database, clock);
  const crowd = createCrowd(database, clock);
  const reads = createSearchReads({ database, queue: queued, areas });
  const cachedReads = cacheSearchReads(reads, {
    version: () => cache.version(),
    monotonic: () => clock.monotonic(),
  });
  const reader = (by: SearchReads, fresh: boolean, on: Database, all = queued): SearchReader => ({
    reads: by,
    queued: all,
    within: (signal) => reader(abortableSearchReads(by, signal), fresh, on, abortableDatabase(all, signal)),
    search: createSearch(by, createTotals(by, clock)),
    resolve: (plan) => resolveQuery({ database: on, crowd, named: (ids) => areas.named(ids, fresh) }, plan),
    requireOneCurrency: (plan, resolved, query) =>
      requireOneCurrency({ database: all, findCurrencies, fresh }, { plan, resolved }, query),
  });
  return {
    fresh: reader(reads, true, database),
    cached: reader(cachedReads, false, database),
    until(signal) {
      const on = abortableDatabase(database, signal);
      const all = abortableDatabase(queued, signal);
      return reader(createSearchReads({ database: on, queue: all, areas }), true, on, all);
    },
  };
}

export async function answerSearch(
  options: SearchOptions,
  readers: SearchReaders,
  request: SearchRequest,
): Promise<Reply> {
  const { query, caller, type } = request;
  const { clock, tiers, publicUrl, database } = options;
  const format = formatOf(query, request.mediaType);
  const limit = pageSize(tiers[caller.tier], query.limit);
  const requestedPlan = planSearch(type, withoutClusterCursor(query), limit, clock.now());
  const loading = await options.findLoading();
  const view = buildReaderView(caller, query, requestedPlan.startedAt, publicUrl);
  const asLines = format === 'csv' || format === 'ndjson';
  const whole = asLines && query.limit === undefined && atLeast(caller.tier, EXPORT_TIER);
  // Nobody walks through all results a second time at once: caching them would push out what is asked for often.
  const reader = whole
    ? readers.until(request.left())
    : bypassesCache(request.headers)
      ? readers.fresh
      : readers.cached;
  const resolved = await reader.resolve(requestedPlan);
  const plan = await reader.requireOneCurrency(requestedPlan, resolved, query);
  const presentation = { database, plan, view, included: query.include ?? [] };
  const answer = (by: SearchReader): Promise<Reply> => {
    const job = { ...by, ...presentation, options, request, resolved, loading };
    if (query.cluster === true) return answerClusters(job, format === 'geojson');
    if (!asLines) return answerPage(job, format === 'geojson');
    return whole ? answerAll(job, format) : answerLines(job, format);
  };
  if (!isHeavy(query, plan)) return answer(reader);
  return options.analytics.within(REMEDY, request.left(), (signal) => answer(reader.within(signal)));
}

/** Whether an answer looks at all results, not at a page of them. */
const isHeavy = ({ facets, stats, explain, cluster }: SearchQuery, plan: SearchPlan): boolean =>
  plan.count === 'exact' || [facets, stats].some(Boolean) || explain === true || cluster === true;

async function answerPage(job: SearchJob, asGeoJson: boolean): Promise<Reply> {
  const { hits, page, total: counted, extras } = await pageWithFigures(job);
  const total = totalWhile(job.loading, counted);
  const rest = { page, total, ...extras, meta: await metaOf(job, hits.length === 0) };
  const headers = headersOf(job, page, total);
  const rows = await presentRows(job, hits);
  if (asGeoJson) {
    return collection(
      rows.map(({ record, location }) => featureOf(record.id, location, record)),
      rest,
      headers,
    );
  }
  return { ...listReply(rows, rest), headers: { ...headers, 'content-type': contentType('json') } };
}

/** The page and the figures beside it: where facets count all results, they count the total too. */
async function pageWithFigures(job: SearchJob): Promise<SearchPage & { readonly extras: object }> {
  const { search, plan, resolved, request } = job;
  const counted = request.query.facets === undefined ? plan : { ...plan, count: 'none' as const };
  const page = await search.page(counted, resolved);
  const { extras, total } = await figures(job);
  return { ...page, total: total ?? page.total, extras };
}

async function answerClusters(job: SearchJob, asGeoJson: boolean): Promise<Reply> {
  const { search, reads, request, plan, resolved } = job;
  const { clusters, page } = await reads.clusters(plan, resolved, request.query);
  const { extras, total: counted } = await figures(job);
  const total = totalWhile(job.loading, counted ?? (await search.total(plan, resolved)));
  const rest = { page, total, ...extras, meta: await metaOf(job, clusters.length === 0) };
  const headers = headersOf(job, page, total);
  if (!asGeoJson) return { json: { object: 'list', clusters, ...rest }, headers };
  return collection(
    clusters.map((cluster) => featureOf(cluster.geohash, cluster, cluster)),
    rest,
    headers,
  );
}

const collection = (features: readonly unknown[], rest: object, headers: Record<string, string>): Reply => ({
  json: { type: 'FeatureCollection', features, ...rest },
  headers: { ...headers, 'content-type': contentType('geojson') },
});

/** One page as lines. */
async function answerLines(job: SearchJob, format: 'csv' | 'ndjson'): Promise<Reply> {
  const { search, plan, resolved } = job;
  const { hits, page, total: counted } = await search.page(plan, resolved);
  const total = totalWhile(job.loading, counted);
  const text = headOf(format, job) + (await linesOf(format, job, hits));
  return {
    bytes: Buffer.from(text),
    headers: { ...headersOf(job, page, total), 'content-type': contentType(format) },
  };
}

/** All results as lines. */
async function answerAll(job: SearchJob, format: 'csv' | 'ndjson'): Promise<Reply> {
  const { search, plan, resolved } = job;
  refuseBackwards(plan);
  const counted = plan.count === 'exact' ? await search.total(plan, resolved) : null;
  const total = totalWhile(job.loading, counted);
  return {
    chunks: exportLines({ ...job, resolved, format }),
    headers: { ...totalHeader(total), 'content-type': contentType(format) },
  };
}

/** Facets, statistics and the explanation, where the request asks for them. */
async function figures({ options, reads, queued, request, plan, resolved }: SearchJob) {
  const { tiers } = options;
  const { facets, stats, explain } = request.query;
  const max = Math.min(MAX_FACET_VALUES, tiers[request.caller.tier].page);
  const counted = facets && (await reads.facets(plan, resolved, facets, max));
  const extras = {
    ...(counted && { facets: counted.facets }),
    ...(stats && { stats: await reads.stats(plan, resolved, stats) }),
    ...(explain === true && { explain: await explainSearch(queued, plan, resolved, request.query) }),
  };
  return { extras, total: counted && plan.count !== 'none' ? exactTotal(counted.total) : null };
}

/** Of the sources that figures rest on; else, since pages read few listings of many, of all. */
function dataAsOf({ options, reads, request, plan, resolved }: SearchJob): Promise<string | null> {
  const { facets, stats, cluster, explain } = request.query;
  const hasFigures = [facets, stats].some(Boolean) || cluster === true || explain === true;
  if (!hasFigures) return options.dataAsOf();
  return reads.origin(plan, resolved).then((origin) => origin.dataAsOf);
}

async function metaOf(job: SearchJob, isEmpty: boolean) {
  const { options, request, plan, resolved, loading } = job;
  return {
    requestId: request.requestId,
    units: plan.units,
    currency: plan.currency,
    areas: resolved.areas.map(({ id, name }) => ({ id, name })),
    dataAsOf: await dataAsOf(job),
    loading,
    suggestions: isEmpty ? await findPlaceSuggestions(options.database, plan, request.query) : null,
    tier: request.caller.tier,
  };
}

function headersOf({ options, request }: SearchJob, page: Page, total: Total | null): Record<string, string> {
  const links = request.url === null ? {} : pageLinks(options.publicUrl, request.url, page);
  return { ...links, ...totalHeader(total) };
}

/** What is counted while more comes is at best a lower bound. */
const totalWhile = (loading: Loading | null, total: Total | null): Total | null =>
  total && loading ? { ...total, relation: 'estimate' } : total;

const totalHeader = (total: Total | null): Record<string, string> =>
  total?.relation === 'exact' ? { 'x-total-count': String(total.value) } : {};
