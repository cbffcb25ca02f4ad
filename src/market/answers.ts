// Answers of market statistics with their cache: what the routes of the API and the pages read.

import type { Reach } from '../access/tiers/reach.ts';
import type { AreaIdCache } from '../areas/area-cache.ts';
import type { Clock } from '../lib/clock.ts';
import { QueryCache } from '../lib/query-cache.ts';
import type { CachedReads } from '../listings/property-cache.ts';
import { abortableDatabase, type Database } from '../postgres/client/database.ts';
import { EXPENSIVE_AFTER } from '../search/engine/questions/scan.ts';
import type { AnalyticsQueue } from '../search/summaries/analytics-queue.ts';
import type { CurrencyOptions } from '../search/summaries/currency.ts';
import { type FactSource, oneState } from './facts/market-facts.ts';
import type { MarketRequest } from './handlers.ts';
import type { MarketQuery } from './parameters.ts';

export interface MarketAnswerOptions extends Pick<CurrencyOptions, 'findCurrencies' | 'defaultCurrency'> {
  readonly analytics: AnalyticsQueue;
  readonly clock: Clock;
  /** Its version changes with the data and so invalidates cached answers. */
  readonly cache: Pick<CachedReads, 'version'>;
  /** Names and time zones, remembered as long as for searches. */
  readonly areas: AreaIdCache;
  readonly facts: FactSource;
}

/** Computes an answer, such as `getHistory`. */
type Compute<Answer> = (request: MarketRequest) => Promise<Answer>;

export interface MarketCall {
  /** Parsed parameters. */
  readonly query: MarketQuery;
  /** Items a page. */
  readonly limit: number;
  /** An account: the queue of expensive queries is shared between accounts. */
  readonly account: string;
  /** What is open to the reader. */
  readonly reach: Reach;
  /** Whether caches are passed by. */
  readonly fresh?: boolean;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

export interface MarketAnswers {
  /** The answer of a computation with this name, read again once the data has changed. Throws as the computation does. */
  get<Answer extends object>(name: string, compute: Compute<Answer>, call: MarketCall): Promise<Answer>;
  /** The database, its reads in the queue of expensive queries. */
  database(account: string): Database;
}

export const REMEDY = 'Request a smaller place, a shorter period, or fewer metrics and groups.';

/** Cached answers. */
const MAX_ANSWERS = 2_000;

export function createMarketAnswers(options: MarketAnswerOptions): MarketAnswers {
  const { analytics, clock, cache, findCurrencies, defaultCurrency, areas, facts } = options;
  const answers = new QueryCache<object>({
    version: () => cache.version(),
    monotonic: () => clock.monotonic(),
    max: MAX_ANSWERS,
  });
  return {
    get(name, compute, { query, limit, account, reach, fresh = false, signal }) {
      const asker = { caller: account, request: {}, remedy: REMEDY };
      const database = analytics.database(asker);
      const read = (left: AbortSignal) =>
        analytics.within(REMEDY, left, (within) =>
          compute({
            database: abortableDatabase(database, within),
            signal: within,
            findCurrencies,
            defaultCurrency,
            areas,
            fresh,
            facts: oneState(facts),
            scan: (work) =>
              analytics.scan(asker, { expensiveAfter: EXPENSIVE_AFTER.summary, signal: within }, work),
            query,
            reach,
            limit,
            now: clock.now(),
          }),
        );
      // A name has one computation, so its answers have one type.
      return fresh
        ? read(signal)
        : (answers.get([name, query, limit, reach.key], read, signal) as ReturnType<typeof read>);
    },
    database: (account) => analytics.database({ caller: account, request: {}, remedy: REMEDY }),
  };
}
