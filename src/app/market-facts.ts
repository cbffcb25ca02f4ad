// Wiring of the facts of the market: held in memory where searches are, and measured.

import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { loadFactsInThread } from '../market/facts/load-facts.ts';
import {
  type FactSource,
  type FactsStatus,
  MarketFacts,
  type MarketFactsOptions,
  NO_FACTS,
} from '../market/facts/market-facts.ts';
import type { BuilderTarget } from '../search/engine/build/builder-thread.ts';

export interface FactsWiring extends Pick<MarketFactsOptions, 'database' | 'clock' | 'report'> {
  readonly config: Config;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Where a thread finds the database; absent: facts are loaded in this one. */
  readonly threadTarget?: BuilderTarget;
}

/** Where figures find facts, until it is stopped. */
export interface StartedFacts extends FactSource {
  stop(): Promise<void>;
}

export function createMarketFacts(wiring: FactsWiring): StartedFacts {
  const { config, metrics, log, threadTarget: target, database, clock, report } = wiring;
  if (config.search.engine === 'postgres') return { ...NO_FACTS, stop: async () => {} };
  const onReady = (listings: number): void =>
    log.info({ event: 'market', listings }, `Figures among ${listings} listings are computed in memory`);
  const load = target && ((signal: AbortSignal) => loadFactsInThread(target, signal));
  const facts = new MarketFacts({ database, clock, report, onReady, load });
  const gauge = (name: string, help: string, value: (status: FactsStatus) => number) =>
    metrics.gauge(`freehold_market_facts_${name}`, help, () => value(facts.status()));
  gauge('ready', '1 if figures of the market are computed in memory.', ({ isReady }) => Number(isReady));
  gauge('rows', 'Listings that figures of the market are computed from in memory.', ({ rows }) => rows);
  gauge('bytes', 'Bytes that these listings take with their periods and events.', ({ bytes }) => bytes);
  metrics.observableCounter(
    'freehold_market_facts_loads_total',
    'Loads of what figures of the market are computed from.',
    () => facts.status().loads,
  );
  metrics.observableCounter(
    'freehold_market_facts_answers_total',
    'Figures of the market that were computed in memory.',
    () => facts.status().answers,
  );
  return facts;
}
