// Owns how a search is answered: planned, looked up, read, and written in the form that was asked for.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../access/tiers/principal.ts';
import { atLeast, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import { createAreaIdCache } from '../../areas/area-id-cache.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CachedReads } from '../../listings/property-cache.ts';
import type { FindLoading, Loading } from '../../listings/provenance/loading.ts';
import { buildReaderView, bypassesCache, pageLinks } from '../../listings/reader-view.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import { untilAborted } from '../../postgres/client/leaving.ts';
import { createCrowd } from '../legacy/crowd.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { planSearch, type SearchPlan } from '../query/search.ts';
import type { SearchQuery } from '../query/search-parameters.ts';
import { withoutClusterCursor } from '../summaries/clusters.ts';
import type { FindCurrencies } from '../summaries/currency.ts';
import { explain } from '../summaries/explain.ts';
import { createFinder, type Finder, finderUntil, rememberingFinder } from '../summaries/finder.ts';
import type { HeavyReads } from '../summaries/heavy-reads.ts';
import { createTotals, exactly, type Total } from '../summaries/total.ts';
import { findPlaceSuggestions } from './place-suggestions.ts';
import { createSearch, type Page, type Search, type SearchPage } from './search-answer.ts';
import { inOneCurrency } from './search-currency.ts';
import { exportLines, refuseBackwards } from './search-export.ts';
import { contentType, featureOf, formatOf, headOf, linesOf, listReply } from './search-format.ts';
import { type LookedUp, lookUp } from './search-lookup.ts';
import { type Presentation, presentRows } from './search-rows.ts';

export interface SearchOptions {
  readonly database: Database;
  /** The queue for what looks at all results. */
  readonly heavy: HeavyReads;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  /** Tells of changes, so that what was found before them is not believed. */
  readonly cache: Pick<CachedReads, 'version'>;
  /** When any source last told something, RFC 3339; null: never. */
  readonly dataAsOf: () => Promise<string | null>;
  readonly findLoading: FindLoading;
  readonly findCurrencies: FindCurrencies;
}

/** What of a request a search is answered by. */
export interface Asked {
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

interface Reading {
  readonly search: Search;
  readonly finder: Finder;
  /** Throws INVALID_PARAMETER for an area that there is not. */
  readonly lookUp: (plan: SearchPlan) => Promise<LookedUp>;
  /** The plan in the one currency of the query. Throws INVALID_PARAMETER where it finds several. */
  readonly inOneCurrency: (
    plan: SearchPlan,
    meanings: ResolvedQuery,
    query: SearchQuery,
  ) => Promise<SearchPlan>;
  /** The database for what looks at all results. */
  readonly queued: Database;
  /** For one answer, whose reads of all results end as the signal aborts. */
  readonly within: (signal: AbortSignal) => Reading;
}

/** One search under way. */
interface Work extends Presentation, Reading {
  readonly options: SearchOptions;
  readonly asked: Asked;
  readonly lookedUp: LookedUp;
  /** As it was before anything was counted. */
  readonly loading: Loading | null;
}

const REMEDY =
  'Remove facets, stats, explain, cluster or count=exact, or search a smaller place with fewer filters.';

/** The most values of a facet, where the tier's page does not hold fewer. */
const MOST_VALUES = 100;

/** The lowest tier that gets all results in one answer. */
const EXPORT_TIER = 'business';

/** What is read of the database each time, and what is remembered for whoever does not mind. */
export interface Readings {
  readonly fresh: Reading;
  readonly remembered: Reading;
  /** Of the database, until the signal aborts. */
  until(signal: AbortSignal): Reading;
}

export function createReadings(options: SearchOptions): Readings {
  const { database, heavy, cache, clock, findCurrencies } = options;
  const queued = heavy.database(REMEDY);
  const areas = createAreaIdCache(database, clock);
  const crowd = createCrowd(database, clock);
  const finder = createFinder({ database, heavy: queued, areas });
  const remembering = rememberingFinder(finder, {
    version: () => cache.version(),
    monotonic: () => clock.monotonic(),
  });
  const reading = (by: Finder, fresh: boolean, on: Database, all = queued): Reading => ({
    finder: by,
    queued: all,
    within: (signal) => reading(finderUntil(by, signal), fresh, on, untilAborted(all, signal)),
    search: createSearch(by, createTotals(by, clock)),
    lookUp: (plan) => lookUp({ database: on, crowd, named: (ids) => areas.named(ids, fresh) }, plan),
    inOneCurrency: (plan, meanings, query) =>
      inOneCurrency({ database: all, findCurrencies, fresh }, { plan, meanings }, query),
  });
  return {
    fresh: reading(finder, true, database),
    remembered: reading(remembering, false, database),
    until(signal) {
      const on = untilAborted(database, signal);
      const all = untilAborted(queued, signal);
      return reading(createFinder({ database: on, heavy: all, areas }), true, on, all);
    },
  };
}

export async function answerSearch(options: SearchOptions, readings: Readings, asked: Asked): Promise<Reply> {
  const { query, caller, type } = asked;
  const { clock, tiers, publicUrl, database } = options;
  const format = formatOf(query, asked.mediaType);
  const limit = pageSize(tiers[caller.tier], query.limit);
  const asPlanned = planSearch(type, withoutClusterCursor(query), limit, clock.now());
  const loading = await options.findLoading();
  const view = buildReaderView(caller, query, asPlanned.startedAt, publicUrl);
  const lines = format === 'csv' || format === 'ndjson';
  const whole = lines && query.limit === undefined && atLeast(caller.tier, EXPORT_TIER);
  // Nobody walks through all results a second time at once: remembering them would push out what is asked for often.
  const reading = whole
    ? readings.until(asked.left())
    : bypassesCache(asked.headers)
      ? readings.fresh
      : readings.remembered;
  const lookedUp = await reading.lookUp(asPlanned);
  const plan = await reading.inOneCurrency(asPlanned, lookedUp.meanings, query);
  const presentation = { database, plan, view, included: query.include ?? [] };
  const answer = (by: Reading): Promise<Reply> => {
    const work = { ...by, ...presentation, options, asked, lookedUp, loading };
    if (query.cluster === true) return answerClusters(work, format === 'geojson');
    if (!lines) return answerPage(work, format === 'geojson');
    return whole ? answerAll(work, format) : answerLines(work, format);
  };
  if (!isHeavy(query, plan)) return answer(reading);
  return options.heavy.within(REMEDY, asked.left(), (signal) => answer(reading.within(signal)));
}

/** Whether an answer looks at all results, not at a page of them. */
const isHeavy = ({ facets, stats, explain: explained, cluster }: SearchQuery, plan: SearchPlan): boolean =>
  plan.count === 'exact' || [facets, stats].some(Boolean) || explained === true || cluster === true;

async function answerPage(work: Work, asGeoJson: boolean): Promise<Reply> {
  const { found, page, total: counted, shown } = await pageWithFigures(work);
  const total = totalWhile(work.loading, counted);
  const rest = { page, total, ...shown, meta: await metaOf(work, found.length === 0) };
  const headers = headersOf(work, page, total);
  const rows = await presentRows(work, found);
  if (asGeoJson) {
    return collection(
      rows.map(({ record, location }) => featureOf(record.id, location, record)),
      rest,
      headers,
    );
  }
  return { ...listReply(rows, rest), headers: { ...headers, 'content-type': contentType('json') } };
}

/** The page and what is told besides: where facets count all results, they count the total too. */
async function pageWithFigures(work: Work): Promise<SearchPage & { readonly shown: object }> {
  const { search, plan, lookedUp, asked } = work;
  const counted = asked.query.facets === undefined ? plan : { ...plan, count: 'none' as const };
  const page = await search.page(counted, lookedUp.meanings);
  const { shown, total } = await figures(work);
  return { ...page, total: total ?? page.total, shown };
}

async function answerClusters(work: Work, asGeoJson: boolean): Promise<Reply> {
  const { search, finder, asked, plan, lookedUp } = work;
  const { clusters, page } = await finder.clusters(plan, lookedUp.meanings, asked.query);
  const told = await figures(work);
  const total = totalWhile(work.loading, told.total ?? (await search.total(plan, lookedUp.meanings)));
  const rest = { page, total, ...told.shown, meta: await metaOf(work, clusters.length === 0) };
  const headers = headersOf(work, page, total);
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
async function answerLines(work: Work, format: 'csv' | 'ndjson'): Promise<Reply> {
  const { search, plan, lookedUp } = work;
  const { found, page, total: counted } = await search.page(plan, lookedUp.meanings);
  const total = totalWhile(work.loading, counted);
  const text = headOf(format, work) + (await linesOf(format, work, found));
  return {
    bytes: Buffer.from(text),
    headers: { ...headersOf(work, page, total), 'content-type': contentType(format) },
  };
}

/** All results as lines. */
async function answerAll(work: Work, format: 'csv' | 'ndjson'): Promise<Reply> {
  const { search, plan, lookedUp } = work;
  refuseBackwards(plan);
  const { meanings } = lookedUp;
  const counted = plan.count === 'exact' ? await search.total(plan, meanings) : null;
  const total = totalWhile(work.loading, counted);
  return {
    chunks: exportLines({ ...work, meanings, format }),
    headers: { ...totalHeader(total), 'content-type': contentType(format) },
  };
}

/** What is told besides the listings, where it is asked for. */
async function figures({ options, finder, queued, asked, plan, lookedUp }: Work) {
  const { tiers } = options;
  const { facets, stats, explain: explained } = asked.query;
  const { meanings } = lookedUp;
  const most = Math.min(MOST_VALUES, tiers[asked.caller.tier].page);
  const counted = facets && (await finder.facets(plan, meanings, facets, most));
  const shown = {
    ...(counted && { facets: counted.facets }),
    ...(stats && { stats: await finder.stats(plan, meanings, stats) }),
    ...(explained === true && { explain: await explain(queued, plan, meanings, asked.query) }),
  };
  return { shown, total: counted && plan.count !== 'none' ? exactly(counted.total) : null };
}

/** Of the sources that figures rest on; else, since pages read few listings of many, of all. */
function dataAsOf({ options, finder, asked, plan, lookedUp }: Work): Promise<string | null> {
  const { facets, stats, cluster, explain: explained } = asked.query;
  const tellsFigures = [facets, stats].some(Boolean) || cluster === true || explained === true;
  if (!tellsFigures) return options.dataAsOf();
  return finder.origin(plan, lookedUp.meanings).then((origin) => origin.dataAsOf);
}

async function metaOf(work: Work, isEmpty: boolean) {
  const { options, asked, plan, lookedUp, loading } = work;
  return {
    requestId: asked.requestId,
    units: plan.units,
    currency: plan.currency,
    areas: lookedUp.areas.map(({ id, name }) => ({ id, name })),
    dataAsOf: await dataAsOf(work),
    loading,
    suggestions: isEmpty ? await findPlaceSuggestions(options.database, plan, asked.query) : null,
    tier: asked.caller.tier,
  };
}

function headersOf({ options, asked }: Work, page: Page, total: Total | null): Record<string, string> {
  const links = asked.url === null ? {} : pageLinks(options.publicUrl, asked.url, page);
  return { ...links, ...totalHeader(total) };
}

/** What is counted while more comes is at best a lower bound. */
const totalWhile = (loading: Loading | null, total: Total | null): Total | null =>
  total && loading ? { ...total, relation: 'estimate' } : total;

const totalHeader = (total: Total | null): Record<string, string> =>
  total?.relation === 'exact' ? { 'x-total-count': String(total.value) } : {};
