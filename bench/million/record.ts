// Recorder of the service's statements for a query: its own routes answer over a recording driver.

import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { type Principal, TIERS } from '../../src/access/tiers/tiers.ts';
import { createSearch } from '../../src/app/search.ts';
import { areaRoutes } from '../../src/areas/routes.ts';
import { UNRECORDED } from '../../src/http/frame/call-usage.ts';
import type { Route } from '../../src/http/frame/route.ts';
import { compileQuery } from '../../src/http/input/query.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { createMarketAnswers } from '../../src/market/answers.ts';
import { NO_FACTS } from '../../src/market/facts/market-facts.ts';
import { marketRoutes } from '../../src/market/routes.ts';
import type { Planning } from '../../src/postgres/client/connection.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { createSql } from '../../src/postgres/client/sql.ts';
import { PriceTrends } from '../../src/property/price-trend-store.ts';
import { propertyRoutes } from '../../src/property/routes.ts';
import { createLocalBuilder } from '../../src/search/engine/segments/build-base.ts';
import { searchRoutes } from '../../src/search/http/routes.ts';
import { AnalyticsQueue } from '../../src/search/summaries/analytics-queue.ts';
import { openDriver, type Statement } from './driver.ts';
import type { LargeTestbed } from './testbed.ts';

const CALLER: Principal = {
  kind: 'key',
  tier: 'internal',
  account: 'bench',
  subscription: null,
  owner: null,
  grant: null,
  scopes: null,
  reach: EVERYTHING,
};

export interface Recorder {
  /** The statements that answering the question took, in order. */
  record(question: string): Promise<Statement[]>;
  close(): Promise<void>;
}

export function openRecorder(testbed: LargeTestbed): Recorder {
  let statements: Statement[] = [];
  let planned: Planning = 'each';
  const driver = openDriver(testbed.databaseUrl, 1, {
    tell: (statement) => statements.push({ ...statement, planned }),
  });
  const database: Database = {
    ...testbed.database,
    read(work, options) {
      planned = options?.planned ?? 'each';
      return work(createSql(driver));
    },
  };
  const catalogue = createCatalogue(database);
  const analytics = new AnalyticsQueue(database, systemClock);
  // Each question is put to the database.
  const cache = { ...catalogue, version: () => null, onRemoved: () => {} };
  const reading = {
    database,
    catalogue,
    clock: systemClock,
    tiers: TIERS,
    analytics,
    cache,
    ...createSearch({
      database,
      clock: systemClock,
      analytics,
      cache,
      metrics: createMetrics(),
      report: console.error,

      settings: { engine: 'postgres', cacheMegabytes: 0 },
      builder: createLocalBuilder(database),
    }),
    publicUrl: 'http://127.0.0.1',
    dataAsOf: async () => null,
    readSources: async () => [],
    findLoading: async () => null,
    findCurrencies: async () => [],
    defaultCurrency: null,
  };
  const routes: Route<Principal>[] = [
    ...searchRoutes(reading),
    ...areaRoutes(reading),
    ...marketRoutes({ ...reading, answers: createMarketAnswers({ ...reading, facts: NO_FACTS }) }),
    ...propertyRoutes({
      ...reading,
      trends: new PriceTrends(database),
      refresh: () => Promise.reject(new Error('nothing is read live')),
    }),
  ];
  return {
    async record(question) {
      statements = [];
      const [path = '', query = ''] = question.split('?');
      const found = routes
        .map((route) => ({ route, params: paramsOf(route.path, path) }))
        .find(({ route, params }) => route.method === 'GET' && params !== null);
      if (!found) throw new Error(`Nothing answers ${path}`);
      const { route, params } = found;
      await route.handle({
        query: compileQuery(route.query)(query),
        params: params ?? {},
        body: undefined,
        headers: {},
        caller: CALLER,
        requestId: 'bench',
        url: question,
        mediaType: 'application/json',
        address: '',
        peer: '',
        signal: new AbortController().signal,
        refusal: null,
        usage: UNRECORDED,
        note: () => {},
      });
      return statements;
    },
    close: () => driver.end(),
  };
}

/** The values in a path, where it is of this form. */
function paramsOf(form: string, path: string): Record<string, string> | null {
  const [names, values] = [form.split('/'), path.split('/')];
  if (names.length !== values.length) return null;
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const value = values[at] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = value;
    else if (name !== value) return null;
  }
  return params;
}
