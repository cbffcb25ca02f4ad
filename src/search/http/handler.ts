// Search handler: plans and resolves a query, reads its results, and answers in the requested format.

import type { IncomingHttpHeaders } from 'node:http';
import { atLeast, type Principal, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import type { AreaIdCache } from '../../areas/area-cache.ts';
import type { CallUsage } from '../../http/frame/call-usage.ts';
import { withAllFaults } from '../../http/input/faults.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { pageLinks } from '../../listings/paging.ts';
import { buildReaderView } from '../../listings/presenter.ts';
import { bypassesCache } from '../../listings/property-cache.ts';
import type { FindNewest } from '../../listings/provenance/confirmation-store.ts';
import { type DataSource, type ReadSources, stalestOf } from '../../listings/provenance/data-source-store.ts';
import type { FindLoading, Loading } from '../../listings/provenance/loading.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { NameKind } from '../query/name-kinds.ts';
import type { Format, SearchQuery } from '../query/parameters.ts';
import type { AnswerContext, ResolvedSearch, SearchPlan } from '../query/plan.ts';
import { type SearchSession, type SearchSessions, withSession } from '../query/search-backend.ts';
import { findWrittenNames } from '../sql/vocabulary-store.ts';
import type { AnalyticsQueue } from '../summaries/analytics-queue.ts';
import { computeClusters } from '../summaries/clusters.ts';
import { type CurrencyChoice, type CurrencyOptions, requireOneCurrency } from '../summaries/currency.ts';
import { explainSearch } from '../summaries/explain.ts';
import { computeFacets } from '../summaries/facets.ts';
import { computeStats } from '../summaries/stats.ts';
import { exactTotal, type FoundTotal, findTotal, NO_TOTAL, type Total } from '../summaries/total.ts';
import {
  contentType,
  EXPORT_TIER,
  exportLines,
  fileName,
  headOf,
  isLineFormat,
  type LineFormat,
  linesOf,
  reachOf,
  refuseBackwards,
} from './formats.ts';
import { hasAlternatives, suggestNames } from './name-suggestions.ts';
import {
  type Page,
  type PageFormat,
  type PageOptions,
  type PageRequest,
  pageBody,
  placesBody,
  readPage,
} from './pagination.ts';
import { checkSearch, readSearch } from './read-search.ts';
import type { RecordCache } from './record-cache.ts';
import { resolveQuery } from './resolve-query.ts';

export interface SearchOptions extends Pick<CurrencyOptions, 'findCurrencies' | 'defaultCurrency'> {
  readonly database: Database;
  readonly backend: SearchSessions;
  readonly areas: AreaIdCache;
  readonly records: RecordCache;
  readonly analytics: AnalyticsQueue;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  readonly dataAsOf: FindNewest;
  readonly readSources: ReadSources;
  readonly findLoading: FindLoading;
}

/** The parts of a request that a search needs. */
export interface SearchRequest {
  readonly type: ListingType;
  readonly query: SearchQuery;
  readonly caller: Principal;
  readonly requestId: string;
  readonly usage: CallUsage;
  readonly mediaType: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the client leaves; created on first use. */
  readonly left: () => AbortSignal;
  /** The URL of a GET, for links to other pages; null: the query came in a body. */
  readonly url: string | null;
}

/** A search being answered. */
interface SearchJob extends PageOptions, PageRequest {
  readonly options: SearchOptions;
  readonly request: SearchRequest;
  readonly session: SearchSession;
  readonly context: AnswerContext;
  /** As of before anything was counted. */
  readonly loading: Loading | null;
  /** Why the search is in one of several currencies. */
  readonly currencyChoice: CurrencyChoice | null;
}

/** How to ask for less than what took too long. */
export const SEARCH_REMEDY =
  'Remove facets, stats, explain or cluster, or search a smaller place with fewer filters.';

/** Values of a facet, unless the tier's page size is smaller. */
const MAX_FACET_VALUES = 100;

export function createSearchHandler(options: SearchOptions): (request: SearchRequest) => Promise<Reply> {
  const answer = createAnswer(options);
  return (request) =>
    answer(request).catch(async (error: unknown) => {
      throw await withAllFaults(error, request.query, () => checkSearch(options, request));
    });
}

/** Parses, plans, resolves, opens a session, answers, presents. */
function createAnswer(options: SearchOptions): (request: SearchRequest) => Promise<Reply> {
  const { database, backend, areas, analytics, clock, tiers } = options;

  return async (request) => {
    const { query, caller } = request;
    const limit = pageSize(tiers[caller.tier], query.limit);
    const { format, planned } = readSearch(request, tiers[caller.tier], limit, clock.now());
    const loading = await options.findLoading();
    const isExport = isLineFormat(format) && query.limit === undefined && atLeast(caller.tier, EXPORT_TIER);
    const fresh = isExport || bypassesCache(request.headers);
    const named = (ids: readonly string[]) => areas.named(ids, fresh);
    const context = { fresh, caller: caller.account, left: request.left };
    const run = async (signal?: AbortSignal): Promise<Reply> => {
      const resolved = await resolveQuery({ database, named }, planned);
      const search = { plan: planned, resolved, signal };
      return withSession(backend, context, async (session) => {
        const job = await startJob(options, request, search, { session, context, loading, format });
        if (query.cluster === true) return answerClusters(job, format);
        if (!isLineFormat(format)) return answerPage(job, format);
        return isExport ? answerAll(job, format) : answerLines(job, format);
      });
    };
    if (hasFigures(query)) return analytics.within(SEARCH_REMEDY, request.left(), run);
    // An export reads for long: it stops when its client leaves.
    return run(isExport ? request.left() : undefined);
  };
}

type Opened = Pick<SearchJob, 'session' | 'context' | 'loading'> & { readonly format: Format };

/** The search in one currency, with how its results are shown. */
async function startJob(
  options: SearchOptions,
  request: SearchRequest,
  search: ResolvedSearch,
  { session, context, loading, format }: Opened,
): Promise<SearchJob> {
  const { database, clock, findCurrencies, defaultCurrency, publicUrl } = options;
  const { query, caller, usage } = request;
  const fresh = context.fresh === true;
  const { plan, choice: currencyChoice } = await requireOneCurrency(
    { backend: session, findCurrencies, defaultCurrency, fresh, mayChoose: !isLineFormat(format) },
    search,
    query,
  );
  const reader = {
    ...buildReaderView(caller, query, plan.startedAt, publicUrl),
    reach: reachOf(caller, format),
  };
  const included = (query.include ?? []).filter((part) => part !== 'cursor');
  return {
    ...search,
    plan,
    options,
    request,
    session,
    context,
    loading,
    currencyChoice,
    database,
    clock,
    reader,
    included,
    usage,
    // Nothing is kept of what `include` adds.
    records: options.records.view(reader, plan.fields, fresh || included.length > 0),
    hasCursors: query.include?.includes('cursor') === true,
  };
}

/** Whether the response has figures of all results. */
const hasFigures = ({ facets, stats, explain, cluster }: SearchQuery): boolean =>
  [facets, stats].some(Boolean) || explain === true || cluster === true;

async function answerPage(job: SearchJob, format: PageFormat): Promise<Reply> {
  // Facets count all results, so they count the total too.
  const isCounted = job.request.query.facets !== undefined;
  const { hits, page, counted } = await readPage(
    isCounted ? { ...job, plan: { ...job.plan, count: 'none' } } : job,
    job.records.find,
  );
  const shown = { isEmpty: hits.length === 0, sources: hits.map(({ listing }) => listing.source) };
  const { rest, headers } = await composeRest(job, page, shown, async () => counted);
  const body = await pageBody(format, job, hits, rest);
  return { ...body, headers: { ...headers, 'content-type': contentType(format) } };
}

async function answerClusters(job: SearchJob, format: Format): Promise<Reply> {
  const { clusters, page } = await computeClusters(job.session, job, job.request.query);
  const shown = { isEmpty: clusters.length === 0, sources: [] };
  const { rest, headers } = await composeRest(job, page, shown, () => findTotal(job.session, job.clock, job));
  if (format !== 'geojson') return { json: { object: 'list', clusters, ...rest }, headers };
  const text = placesBody(clusters, rest);
  return { text, headers: { ...headers, 'content-type': contentType(format) } };
}

/** One page as lines. */
async function answerLines(job: SearchJob, format: LineFormat): Promise<Reply> {
  const { hits, page, counted } = await readPage(job);
  const text = headOf(format, job) + (await linesOf(format, job, hits));
  const headers = headersOf(job, page, counted.total);
  const file = { 'content-type': contentType(format), ...fileName(format, job.request.type) };
  return { bytes: Buffer.from(text), headers: { ...headers, ...file } };
}

/** All results as lines. */
async function answerAll(job: SearchJob, format: LineFormat): Promise<Reply> {
  refuseBackwards(job.plan);
  const { total } = await findTotal(job.session, job.clock, job);
  return {
    chunks: exportLines(format, { ...job, sessions: job.options.backend }),
    headers: {
      ...totalHeader(total),
      'content-type': contentType(format),
      ...fileName(format, job.request.type),
    },
  };
}

/** Everything of a response besides its data, and its headers. `countTotal` runs unless the facets count the total. */
async function composeRest(
  job: SearchJob,
  page: Page,
  shown: { readonly isEmpty: boolean; readonly sources: readonly string[] },
  countTotal: () => Promise<FoundTotal>,
) {
  const { options, session, request, plan, resolved, loading, currencyChoice } = job;
  const { facets, stats, explain, priceBucket: priceStep = null } = request.query;
  const max = Math.min(MAX_FACET_VALUES, options.tiers[request.caller.tier].page);
  const { database } = options;
  const findNames = (kind: NameKind, keys: readonly string[]) =>
    findWrittenNames(database, plan.listingType, kind, keys, plan.reach);
  const counted = facets && (await computeFacets(session, job, facets, { max, priceStep, findNames }));
  const extras = {
    ...(counted && { facets: counted.facets }),
    ...(stats && { stats: await computeStats(session, job, stats) }),
    ...(explain === true && { explain: await explainSearch(session, job, request.query) }),
  };
  const { total, note } = counted ? totalOf(plan, counted.total) : await countTotal();
  // Figures rest on the sources of all results; a page reads few listings of many sources.
  const isOfAll = hasFigures(request.query);
  const sources: readonly DataSource[] = await options.readSources(
    isOfAll ? await session.sources(job) : shown.sources,
    plan.reach,
    job.context.fresh,
  );
  const meta = {
    requestId: request.requestId,
    units: plan.units,
    currency: plan.currency,
    currencyChoice,
    areas: resolved.areas.map(({ id, name }) => ({ id, name })),
    dataAsOf: isOfAll ? stalestOf(sources) : await options.dataAsOf(plan.reach),
    sources,
    totalNote: note,
    loading,
    lagMs: session.lagMs() ?? undefined,
    suggestions:
      plan.cursor === null && (shown.isEmpty || hasAlternatives(request.query))
        ? await suggestNames(options.database, plan, request.query)
        : null,
    tier: request.caller.tier,
  };
  return { rest: { page, total, ...extras, meta }, headers: headersOf(job, page, total) };
}

function headersOf({ options, request }: SearchJob, page: Page, total: Total | null): Record<string, string> {
  const links = request.url === null ? {} : pageLinks(options.publicUrl, request.url, page);
  return { ...links, ...totalHeader(total) };
}

const totalOf = ({ count }: SearchPlan, counted: number): FoundTotal =>
  count === 'none' ? NO_TOTAL : exactTotal(counted);

const totalHeader = (total: Total | null): Record<string, string> =>
  total === null ? {} : { 'x-total-count': String(total.value) };
