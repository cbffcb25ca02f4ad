// Routes of market statistics: everything below /v1/market.

import type { TObject, TSchema } from 'typebox';
import { type Principal, pageSize, type Tiers } from '../access/tiers/tiers.ts';
import type { AreaIdCache } from '../areas/area-cache.ts';
import { type Route, route } from '../http/frame/route.ts';
import { withAllFaults } from '../http/input/faults.ts';
import type { Reply } from '../http/output/reply.ts';
import type { Clock } from '../lib/clock.ts';
import { pageLinks } from '../listings/paging.ts';
import { bypassesCache } from '../listings/property-cache.ts';
import { type ReadSources, stalestOf } from '../listings/provenance/data-source-store.ts';
import type { FindLoading } from '../listings/provenance/loading.ts';
import { compileWholeNames } from '../search/http/whole-names.ts';
import type { MarketAnswers } from './answers.ts';
import {
  definitionUrl,
  getComparison,
  getDistribution,
  getHistory,
  getStats,
  getYield,
  listMetrics,
  type MarketRequest,
  type Provenance,
} from './handlers.ts';
import { checkScope } from './market-scope.ts';
import {
  CompareQuery,
  DistributionQuery,
  HistoryQuery,
  type MarketQuery,
  parseMetrics,
  StatsQuery,
  YieldQuery,
} from './parameters.ts';
import { parsePeriod, parseSeries } from './periods.ts';
import {
  ComparisonSchema,
  DistributionSchema,
  HistorySchema,
  MetricListSchema,
  StatsSchema,
  YieldSchema,
} from './schemas.ts';

export interface MarketRouteOptions {
  readonly answers: MarketAnswers;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  readonly findLoading: FindLoading;
  readonly readSources: ReadSources;
  /** Names and time zones, remembered as long as for searches. */
  readonly areas: AreaIdCache;
}

interface Answer extends Provenance {
  readonly object: string;
  readonly page?: Parameters<typeof pageLinks>[2];
}

interface Endpoint {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly query: TObject;
  readonly schema: TSchema;
  readonly answer: (request: MarketRequest) => Promise<Answer>;
  /** What reads the parameters beside the filters; each throws INVALID_PARAMETER. */
  readonly reads: readonly ((query: MarketQuery, now: number) => unknown)[];
}

const readPeriod = (query: MarketQuery, now: number) => parsePeriod(query, now, 'UTC');
const readSeries = (query: MarketQuery, now: number) => parseSeries(query, now, 'UTC');

const access = { credentials: 'optional', scope: 'listings:read', counts: 'month' } as const;

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: 'stats',
    operation: 'getMarketStats',
    query: StatsQuery,
    schema: StatsSchema,
    answer: getStats,
    reads: [parseMetrics, readPeriod],
    summary: 'Get market statistics of one period',
    description:
      'All metrics, or selected ones, over the listings that match the filters, optionally grouped by property ' +
      'type or bedrooms. Listings count by their state in the period, not by what became of them later.',
  },
  {
    path: 'history',
    operation: 'getMarketHistory',
    query: HistoryQuery,
    schema: HistorySchema,
    answer: getHistory,
    reads: [parseMetrics, readSeries],
    summary: 'Get market statistics over time',
    description: 'One point per interval, oldest first. Each point equals `stats` for its period.',
  },
  {
    path: 'compare',
    operation: 'compareMarkets',
    query: CompareQuery,
    schema: ComparisonSchema,
    answer: getComparison,
    reads: [parseMetrics, readPeriod],
    summary: 'Compare market statistics of areas',
    description: 'The same statistics for several areas, over the same days.',
  },
  {
    path: 'yield',
    operation: 'getMarketYield',
    query: YieldQuery,
    schema: YieldSchema,
    answer: getYield,
    reads: [readPeriod],
    summary: 'Get gross rent yields by bedrooms',
    description:
      'Twelve times the median asking rent of new rental listings, divided by the median asking price of new ' +
      'sale listings, for each number of bedrooms. `sameProperty` compares only homes that were offered both ways.',
  },
  {
    path: 'distribution',
    operation: 'getMarketDistribution',
    query: DistributionQuery,
    schema: DistributionSchema,
    answer: getDistribution,
    reads: [readPeriod],
    summary: 'Get the distribution of one measure',
    description: 'Percentiles and a histogram over the listings on the market at the end of the period.',
  },
];

export function marketRoutes(options: MarketRouteOptions): readonly Route<Principal>[] {
  const { answers, clock, tiers, publicUrl, areas } = options;
  const marketRoute = (endpoint: Endpoint): Route<Principal> => {
    const wholeNames = compileWholeNames(endpoint.query);
    const check = (readable: object, { account }: Principal): Promise<void> => {
      const [market, now] = [readable as MarketQuery, clock.now()];
      const database = answers.database(account);
      const reads = endpoint.reads.map((read) => () => read(market, now));
      return checkScope({ database, areas }, market, now, reads);
    };
    return route<Principal>()({
      method: 'GET',
      path: `/v1/market/${endpoint.path}`,
      operation: endpoint.operation,
      tag: 'Market',
      summary: endpoint.summary,
      description: endpoint.description,
      access,
      query: endpoint.query,
      codes: ['INVALID_CURSOR', 'INVALID_GEOMETRY', 'SEARCH_LOADING'],
      answer: { description: endpoint.summary, schema: endpoint.schema },
      check,
      async handle({ query, caller, requestId, url, headers, signal }): Promise<Reply> {
        const fresh = bypassesCache(headers);
        const { account, reach } = caller;
        const market = await wholeNames(answers.database(account), query as MarketQuery, { url, caller });
        const limit = pageSize(tiers[caller.tier], market.limit);
        const loading = await options.findLoading();
        const call = { query: market, limit, account, reach, fresh, signal };
        const answer = answers.get(endpoint.path, endpoint.answer, call);
        const { sourceIds, metricIds, ...json } = await answer.catch(async (error: unknown) => {
          throw await withAllFaults(error, market, (readable) => check(readable, caller));
        });
        const units = market.units ?? 'imperial';
        const definitions = Object.fromEntries(metricIds.map((id) => [id, definitionUrl(publicUrl, id)]));
        const sources = await options.readSources(sourceIds, reach, fresh);
        const dataAsOf = stalestOf(sources);
        const meta = { requestId, tier: caller.tier, units, dataAsOf, sources, loading, definitions };
        return { json: { ...json, meta }, headers: json.page ? pageLinks(publicUrl, url, json.page) : {} };
      },
    });
  };
  return [...ENDPOINTS.map(marketRoute), metricsRoute(publicUrl)];
}

function metricsRoute(publicUrl: string): Route<Principal> {
  return route<Principal>()({
    method: 'GET',
    path: '/v1/market/metrics',
    operation: 'listMetrics',
    tag: 'Market',
    access,
    summary: 'List the definitions of all metrics',
    description: 'Every metric with its unit, formula in words and minimum sample.',
    answer: { description: 'All metrics', schema: MetricListSchema },
    handle: ({ requestId, caller }) => ({
      json: { ...listMetrics(publicUrl), meta: { requestId, tier: caller.tier } },
    }),
  });
}
