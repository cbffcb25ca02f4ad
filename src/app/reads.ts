// Wiring of what answers reads: the catalogue and its cache, searches, figures and facts of the market, refreshes of one listing.

import type { Channel } from '../access/tiers/reach.ts';
import { anonymous, type Principal } from '../access/tiers/tiers.ts';
import type { Config } from '../config.ts';
import { createEventMetrics } from '../entity-events/event-metrics.ts';
import { Allowance } from '../explore/allowance/allowance.ts';
import { createCatalogue } from '../ingest/listing-writer.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Scheduler } from '../lib/scheduler.ts';
import { Licences, readerOf, readerOfOwner } from '../licence/licences.ts';
import { createPropertyCache } from '../listings/property-cache.ts';
import { Flights } from '../live/flights.ts';
import { createRefresh } from '../live/refresh.ts';
import { loadFactsInThread } from '../market/facts/load-facts.ts';
import {
  type FactSource,
  type FactsStatus,
  MarketFacts,
  type MarketFactsOptions,
  NO_FACTS,
} from '../market/facts/market-facts.ts';
import { createMarketFigures } from '../market/figure.ts';
import type { BuilderTarget } from '../search/engine/segments/builder-thread.ts';
import { AnalyticsQueue, type Slots } from '../search/summaries/analytics-queue.ts';
import { createFindCurrencies } from '../search/summaries/currency.ts';
import { createFindLoading } from '../sources/first-load.ts';
import type { Source } from '../sources/source.ts';
import type { SourceSet } from '../sources/source-set.ts';
import type { IsOpenEvent } from '../watch/events/read-store.ts';
import type { WatchedFigure } from '../watch/market/condition.ts';
import { createSearch, type SearchWiring } from './search.ts';
import { measureExpensive } from './search-metrics.ts';

export interface ReadsOptions extends Pick<MarketFactsOptions, 'database' | 'clock' | 'report'> {
  readonly metrics: Metrics;
  readonly config: Pick<Config, 'explorer'>;
  readonly log: Log;
  /** Whether the source may be read now. */
  readonly mayActOutside: () => boolean;
  readonly defaultCurrency: string | null;
  /** The source of the settings of this process; null: none. */
  readonly source: Pick<Source, 'id'> | null;
  /** All that this process reads. */
  readonly sources: SourceSet;
  /** Of searches, without what is made here. */
  readonly search: Pick<SearchWiring, 'settings' | 'onReady' | 'builder' | 'maxTail'>;
  /** Where a thread finds the database; absent: facts are loaded in this one. */
  readonly threadTarget?: BuilderTarget;
  /** Of expensive queries. */
  readonly slots?: Slots;
  readonly scheduler?: Scheduler;
}

export function createReads(options: ReadsOptions) {
  const { database, clock, metrics, report, source, sources } = options;
  const own = source?.id ?? null;
  const catalogue = createCatalogue(database);
  const cache = createPropertyCache(catalogue, database, report);
  const analytics = new AnalyticsQueue(database, clock, options.slots, options.scheduler);
  measureExpensive(metrics, analytics);
  const findCurrencies = createFindCurrencies(database, {
    version: () => cache.version(),
    monotonic: () => clock.monotonic(),
  });
  const facts = createMarketFacts(options);
  const licences = new Licences(options);
  const findOwnerReach = (owner: string) => licences.reachOf('watchers', readerOfOwner(owner));
  const isOpenEvent: IsOpenEvent = ({ owner, licenceNo }) =>
    licenceNo === null || findOwnerReach(owner).has(licenceNo);
  const findOpenAudience = () => licences.widest('explorer');
  const explorer = new Allowance({ ...options, ...options.config.explorer, findOpenAudience });
  const search = createSearch({ ...options, ...options.search, analytics, cache });
  const { backend, areas, records, engine, untilSearched } = search;
  const flights = new Flights(options);
  const figures = createMarketFigures({ ...options, findCurrencies, analytics, areas });
  return {
    catalogue,
    cache,
    analytics,
    findCurrencies,
    facts,
    backend,
    areas,
    records,
    engine,
    figures,
    licences,
    anywhere: licences.anywhere,
    /** Anybody, as the explorer shows homes to them. */
    visitor: { ...anonymous(''), reach: licences.reachOf('explorer', 'public') },
    findReach: (caller: Principal, channel: Channel) => licences.reachOf(channel, readerOf(caller)),
    findOwnerReach,
    isOpenEvent,
    openEvents: {
      isOpen: isOpenEvent,
      sourceOf: licences.sourceOf,
      refreshLicences: () => licences.refresh(),
    },
    computeFigure: (figure: WatchedFigure, now: number) =>
      figures.compute(figure, now, licences.reachOf('watchers', figure.reader ?? 'subscribers')),
    refresh: createRefresh({
      ...options,
      findSource: (id) => sources.find(id),
      isPaused: (id) => (sources.get(id)?.control.pausedAt ?? null) !== null,
      catalogue,
      flights,
      untilSearched,
      mayFetch: options.mayActOutside,
    }),
    findLoading: createFindLoading({
      database,
      clock,
      source: own,
      others: () => sources.ids().filter((id) => id !== own),
      untilSearched,
    }),
    explorer,
    untilSearched,
    eventMetrics: createEventMetrics(metrics, clock),
    /** Resolves once searches are answered, or will not be for some time. */
    async start() {
      await licences.start();
      await search.start();
    },
    async stop() {
      await facts.stop();
      await search.stop();
    },
    async close() {
      await flights.close();
      await cache.close();
      await licences.close();
      await explorer.close();
    },
  };
}

/** Where figures find facts, until it is stopped. */
interface StartedFacts extends FactSource {
  stop(): Promise<void>;
}

function createMarketFacts(options: ReadsOptions): StartedFacts {
  const { search, metrics, log, threadTarget: target, database, clock, report } = options;
  if (search.settings.engine === 'postgres') return { ...NO_FACTS, stop: async () => {} };
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
