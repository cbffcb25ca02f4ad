// Owns the HTTP face of the statistics: everything below /v1/market.

import type { TObject, TSchema } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { pageSize, type Tiers } from '../access/tiers/tiers.ts';
import { type Reply, type Route, route } from '../http/frame/route.ts';
import type { Clock } from '../lib/clock.ts';
import type { FindLoading } from '../listings/provenance/loading.ts';
import type { Remembered } from '../listings/read-cache.ts';
import { pageLinks, wantsFresh } from '../listings/reader.ts';
import { untilAborted } from '../postgres/client/leaving.ts';
import { FoundCache } from '../search/legacy/found-cache.ts';
import type { FindCurrencies } from '../search/summaries/currency.ts';
import type { HeavyReads } from '../search/summaries/heavy-reads.ts';
import {
  compareAnswer,
  distributionAnswer,
  historyAnswer,
  metricsAnswer,
  type Request,
  statsAnswer,
  yieldAnswer,
} from './answers.ts';
import { type Basis, definitionUrl } from './basis.ts';
import {
  CompareQuery,
  DistributionQuery,
  HistoryQuery,
  type MarketQuery,
  StatsQuery,
  YieldQuery,
} from './parameters.ts';
import {
  ComparisonSchema,
  DistributionSchema,
  HistorySchema,
  MetricListSchema,
  StatsSchema,
  YieldSchema,
} from './record.ts';

export interface MarketRouteOptions {
  readonly heavy: HeavyReads;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  /** Tells of changes, so that figures from before them are not believed. */
  readonly memory: Pick<Remembered, 'version'>;
  readonly findLoading: FindLoading;
  readonly findCurrencies: FindCurrencies;
}

interface Page {
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

interface Answer extends Basis {
  readonly object: string;
  readonly page?: Page;
}

interface Endpoint {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly query: TObject;
  readonly schema: TSchema;
  readonly answer: (request: Request) => Promise<Answer>;
}

const access = { credentials: 'optional', scope: 'listings:read', counts: 'month' } as const;

const ENDPOINTS: readonly Endpoint[] = [
  {
    ...{
      path: 'stats',
      operation: 'getMarketStats',
      query: StatsQuery,
      schema: StatsSchema,
      answer: statsAnswer,
    },
    summary: 'Figures of one period',
    description:
      'All metrics, or chosen ones, over the listings that meet the filters; also for each property type or number of ' +
      'bedrooms. Listings count by what they were in the period, whatever became of them.',
  },
  {
    ...{ path: 'history', operation: 'getMarketHistory', query: HistoryQuery, schema: HistorySchema },
    answer: historyAnswer,
    summary: 'Figures over time',
    description:
      'A point for each interval, the oldest first. Each point is what `stats` answers for its period.',
  },
  {
    ...{ path: 'compare', operation: 'compareMarkets', query: CompareQuery, schema: ComparisonSchema },
    answer: compareAnswer,
    summary: 'Areas side by side',
    description: 'The same figures for each of several areas, over the same days.',
  },
  {
    ...{
      path: 'yield',
      operation: 'getMarketYield',
      query: YieldQuery,
      schema: YieldSchema,
      answer: yieldAnswer,
    },
    summary: 'Gross rent yield by bedrooms',
    description:
      'Twelve times the median rent asked for what was new to let, over the median price asked for what was new for ' +
      'sale, for each number of bedrooms. `sameProperty` compares only homes that were offered both ways.',
  },
  {
    ...{ path: 'distribution', operation: 'getMarketDistribution', query: DistributionQuery },
    ...{ schema: DistributionSchema, answer: distributionAnswer },
    summary: 'How one measure is spread',
    description: 'Percentiles and a histogram over what was on the market as the period ended.',
  },
];

const REMEDY = 'Ask for a smaller place, a shorter period, or fewer metrics and groups.';

/** Answers that are held. */
const MOST_ANSWERS = 2_000;

export function marketRoutes(options: MarketRouteOptions): readonly Route<Principal>[] {
  const { clock, tiers, publicUrl, memory, findCurrencies } = options;
  const database = options.heavy.database(REMEDY);
  const answers = new FoundCache<Answer>({
    version: () => memory.version(),
    monotonic: () => clock.monotonic(),
    most: MOST_ANSWERS,
  });
  const define = (endpoint: Endpoint): Route<Principal> =>
    route<Principal>()({
      method: 'GET',
      ...{ path: `/v1/market/${endpoint.path}`, operation: endpoint.operation, tag: 'Market' },
      ...{ summary: endpoint.summary, description: endpoint.description, access, query: endpoint.query },
      answer: { description: endpoint.summary, schema: endpoint.schema },
      async handle({ query, caller, requestId, url, headers, signal }): Promise<Reply> {
        const asked = query as MarketQuery;
        const limit = pageSize(tiers[caller.tier], asked.limit);
        const fresh = wantsFresh(headers);
        const read = (left: AbortSignal) =>
          endpoint.answer({
            ...{ database: untilAborted(database, left), findCurrencies, fresh },
            ...{ asked, limit, now: clock.now() },
          });
        const question = [endpoint.path, asked, limit];
        const loading = await options.findLoading();
        const { origin, defined, ...json } = await (fresh
          ? read(signal)
          : answers.get(question, read, signal));
        const units = asked.units ?? 'imperial';
        const definitions = Object.fromEntries(defined.map((id) => [id, definitionUrl(publicUrl, id)]));
        const meta = { requestId, tier: caller.tier, units, ...origin, loading, definitions };
        return { json: { ...json, meta }, headers: json.page ? pageLinks(publicUrl, url, json.page) : {} };
      },
    });
  return [...ENDPOINTS.map(define), metricsRoute(publicUrl)];
}

function metricsRoute(publicUrl: string): Route<Principal> {
  return route<Principal>()({
    method: 'GET',
    ...{ path: '/v1/market/metrics', operation: 'listMetrics', tag: 'Market', access },
    summary: 'What each metric means',
    description: 'Every metric with its unit, its formula in words and its minimum sample.',
    answer: { description: 'All metrics', schema: MetricListSchema },
    handle: ({ requestId, caller }) => ({
      json: { ...metricsAnswer(publicUrl), meta: { requestId, tier: caller.tier } },
    }),
  });
}
