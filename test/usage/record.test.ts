// Record of use: what it has equals an oracle's count over two processes under load, and a killed process loses a minute at most.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { textOf } from '../support/browser/page-text.ts';
import { factsArbitrary, NOW, toDraft } from '../support/catalogue/random-market.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import {
  type Answer,
  type Asked,
  formatSums,
  type Sums,
  send,
  UsageOracle,
} from '../support/oracle/usage-oracle.ts';
import { runCommand } from '../support/process/cli.ts';
import { manualClock } from '../support/service/clock.ts';
import { startClockedProcess } from '../support/service/clocked-process.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { startService } from '../support/service/service.ts';
import { sendWatcher } from '../support/watch/watchers.ts';

const at = { after };
const clock = manualClock(NOW);
const service = await startService(at, { clock, environment: { AUDIT_QUERIES: 'on' } });
const { database, keys } = service;
const catalogue = createCatalogue(database);
const facts = fc.sample(factsArbitrary, { numRuns: 120, seed: 44 });
for (const source of ['abor', 'crm'])
  await database.transaction((tx) =>
    catalogue.write(
      tx,
      source,
      facts
        .filter((_, place) => (place % 3 === 0) === (source === 'crm'))
        .map((each, place) => toDraft(`${source}${place}`, each)),
      clock.now(),
    ),
  );
const second = await startSecondService(at, service);
const sourceOf = new Map(
  (await database.read((sql) => sql<{ id: string; source: string }[]>`select id, source from listing`)).map(
    ({ id, source }) => [id, source],
  ),
);
const folder = await temporaryFolder(at, 'usage');
const SERVICE_PROCESS = new URL('../support/service/service-process.ts', import.meta.url).pathname;

/** What is recorded of these days, as the oracle writes it. */
async function recorded(table: 'usage_hour' | 'usage_day'): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ name: string; source: string; requests: number; listings: number; bytes: number }[]>`
      select concat_ws(' ', tier, channel, operation, status) as name, source, sum(requests)::bigint as requests,
        sum(listings)::bigint as listings, sum(bytes)::bigint as bytes
      from ${sql(table)} where operation <> 'getUsageHistory' group by 1, 2`,
  );
  const sums = new Map<string, Sums>();
  for (const { name, source, requests, listings, bytes } of rows) {
    const known = sums.get(name) ?? { requests: 0, bytes: 0, shown: new Map<string, number>() };
    sums.set(name, known);
    known.requests += requests;
    known.bytes += bytes;
    if (source !== '') known.shown.set(source, listings);
  }
  return [...sums].map(([name, each]) => formatSums(name, each)).sort();
}

const oracle = new UsageOracle(sourceOf);

interface Question extends Omit<Asked, 'url'> {
  /** Tier, channel and operation. */
  readonly name: string;
  readonly path: string;
  /** Ids of the listings that the answer shows, as often as it does. */
  readonly ids: (answer: Answer) => readonly string[];
}

const none = (): readonly string[] => [];
const json = ({ text }: Answer) => JSON.parse(text);
const idsOf = (
  list: readonly { readonly id: string; readonly listing?: { readonly id: string } }[],
): string[] => list.map(({ id, listing }) => listing?.id ?? id);
const rows = (answer: Answer): string[] => idsOf(json(answer).data);
const lines = ({ text }: Answer): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
const csv = ({ text }: Answer): string[] =>
  text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0] ?? '');
const features = (answer: Answer): string[] => idsOf(json(answer).features);
const changes = (list: readonly { listing: object | null; listingId: string }[]): string[] =>
  list.filter(({ listing }) => listing !== null).map(({ listingId }) => listingId);

const MCP = { accept: 'application/json, text/event-stream' };
const tool = (name: string, operation: string, args: object, ids: Question['ids']): Question => ({
  name: `business mcp ${operation}`,
  path: '/mcp',
  method: 'POST',
  key: keys.business,
  headers: MCP,
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  ids,
});
const content = ({ text }: Answer) =>
  JSON.parse(/^data: (\{.*"result".*)$/m.exec(text)?.[1] ?? text).result.structuredContent ??
  assert.fail(text);

const [{ id: first = '' } = {}] = await database.read(
  (sql) => sql<{ id?: string }[]>`
    select id from listing where status = 'ACTIVE' and displayed and address_displayed and listing_type = 'sale'
      and record -> 'location' is not null order by id limit 1`,
);
const SEARCH = '/v1/search/sales';
const ALL = 'status=any&fields=id,price';

const QUESTIONS: readonly Question[] = [
  { name: 'anonymous search searchSales', path: `${SEARCH}?limit=7`, ids: rows },
  { name: 'pro search searchSales', path: `${SEARCH}?status=any&limit=40`, key: keys.pro, ids: rows },
  { name: 'pro search searchSales', path: `${SEARCH}?${ALL}&offset=1`, key: keys.pro, ids: none },
  { name: 'pro search searchSales', path: `${SEARCH}?status=any`, method: 'HEAD', key: keys.pro, ids: none },
  {
    name: 'pro search mapSales',
    path: `${SEARCH}/geojson?status=any&limit=30`,
    key: keys.pro,
    ids: features,
  },
  { name: 'business export exportSales', path: `${SEARCH}/export?${ALL}`, key: keys.business, ids: csv },
  {
    name: 'business export exportSalesAsLines',
    path: `${SEARCH}/ndjson?${ALL}`,
    key: keys.business,
    ids: lines,
  },
  {
    name: 'business export listChanges',
    path: '/v1/changes?limit=50',
    key: keys.business,
    ids: (answer) => changes(json(answer).data),
  },
  {
    name: 'business export exportChanges',
    path: '/v1/changes/ndjson',
    key: keys.business,
    ids: ({ text }) =>
      changes(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ),
  },
  {
    name: 'pro search getProperty',
    path: `/v1/property/${first}?include=listings`,
    key: keys.pro,
    ids: (answer) => idsOf(json(answer).listings),
  },
  {
    name: 'pro search getListing',
    path: `/v1/listing/${first}/record`,
    key: keys.pro,
    ids: (answer) => [json(answer).id],
  },
  {
    name: 'pro stream streamListing',
    path: `/v1/listing/${first}`,
    key: keys.pro,
    headers: { accept: 'text/event-stream' },
    ids: ({ text }) => [...text.matchAll(/^event: (cached|live)$/gm)].map(() => first),
  },
  {
    name: 'pro search listSimilarListings',
    path: `/v1/property/${first}/similar`,
    key: keys.pro,
    ids: (answer) => [first, ...idsOf(json(answer).data)],
  },
  {
    name: 'anonymous explorer getExploreView',
    path: '/explore/view?status=any',
    ids: (answer) => idsOf(json(answer).list),
  },
  { name: 'anonymous search getProperty', path: `/v1/property/${first}`, ids: none },
  tool('search_sales', 'searchSales', { status: ['any'], limit: 50 }, (answer) =>
    idsOf(content(answer).data),
  ),
  tool('search_sales', 'searchSales', { status: ['any'], limit: 50, detail: 'full' }, (answer) =>
    idsOf(content(answer).data),
  ),
  tool('get_property', 'getProperty', { id: first, freshness: 'cached' }, (answer) => [
    content(answer).currentListing?.id ?? first,
  ]),
  tool('get_listing_live', 'streamListing', { id: first }, (answer) => [content(answer).cached.id]),
  tool('find_comparables', 'listComparables', { id: first, daysOld: 3650 }, (answer) => [
    first,
    ...idsOf(content(answer).data),
  ]),
];

async function ask({ name, path, ids, ...asked }: Question, base: string, counts = oracle): Promise<Answer> {
  const answer = await send({ ...asked, url: `${base}${path}` });
  counts.count(name, answer, answer.status === 200 ? ids(answer) : []);
  return answer;
}

/** Whether all requests that the oracle knows are written. */
async function isWritten(): Promise<boolean> {
  clock.advance(60_000);
  const [row] = await database.read(
    (sql) => sql<{ requests: number }[]>`
      select coalesce(sum(requests), 0)::bigint as requests from usage_hour where operation <> 'getUsageHistory'`,
  );
  const asked = [...oracle.sums.values()].reduce((sum, { requests }) => sum + requests, 0);
  return (row?.requests ?? 0) >= asked;
}

test('the record equals an oracle’s count over two processes under load', async () => {
  const load = [...QUESTIONS, ...QUESTIONS, ...QUESTIONS].flatMap((question) => [
    { question, base: service.url },
    { question, base: second.url },
  ]);
  await Promise.all(load.map(({ question, base }) => ask(question, base)));
  await until('everything is written', isWritten);
  assert.deepEqual(await recorded('usage_hour'), oracle.lines());
  assert.deepEqual(await recorded('usage_day'), oracle.lines());
  const shown = [...oracle.sums.values()].flatMap((sums) => [...sums.shown.keys()]);
  assert.deepEqual([...new Set(shown)].sort(), ['abor', 'crm'], 'both sources were shown');
  assert.ok([...oracle.sums].some(([name, { shown }]) => name.includes(' mcp ') && shown.size === 2));
});

test('what agents asked is recorded where the operator wants it, with networks and without keys', async () => {
  const answer = await send({
    url: `${service.url}/mcp`,
    method: 'POST',
    key: keys.business,
    headers: MCP,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_sales', arguments: { q: `garden ${keys.pro}`, limit: 1 } },
    },
  });
  oracle.count('business mcp searchSales', answer, idsOf(content(answer).data));
  await until('it is written', isWritten);
  const environment = { DATABASE_URL: service.databaseUrl, SOURCE: 'none' };
  const days = ['--from', '2020-01-01', '--to', '2020-01-02'];
  const none = await runCommand(['usage', '--queries', ...days], { folder, environment });
  assert.match(none.stdout, /Nothing is recorded/);
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  const args = [
    'usage',
    '--queries',
    '--json',
    '--from',
    new Date(NOW).toISOString().slice(0, 10),
    '--to',
    day,
  ];
  const { stdout } = await runCommand(args, { folder, environment });
  assert.ok(!stdout.includes(keys.pro));
  const { queries } = JSON.parse(stdout) as {
    queries: readonly {
      tool: string;
      address: string;
      arguments: string;
      outcome: string;
      account: string;
    }[];
  };
  const [newest = assert.fail()] = queries;
  assert.match(newest.arguments, /"q":"garden \[redacted\]"/);
  const { tool: name, address, outcome } = newest;
  assert.deepEqual([name, address, outcome], ['search_sales', '127.0.0.0/24', 'ok']);
  // Three times each tool: the second service records none.
  assert.equal(queries.length, 3 * QUESTIONS.filter(({ path }) => path === '/mcp').length + 1);
});

test('a killed process loses what it has not written, and a stopped one nothing', async (t) => {
  const options = { databaseUrl: service.databaseUrl, folder, start: clock.now() };
  const child = await startClockedProcess(t, SERVICE_PROCESS, options);
  const third = await startSecondService(t, service);
  const [question = assert.fail()] = QUESTIONS.filter(({ name }) => name === 'pro search mapSales');
  const base = `http://127.0.0.1:${child.port}`;
  await ask(question, base);
  await child.advance(60_000);
  await until('the first is written', isWritten);
  // This one is written by nobody.
  await ask(question, base, new UsageOracle(sourceOf));
  await child.kill();
  await ask(question, third.url);
  await third.stop();
  assert.deepEqual(await recorded('usage_hour'), oracle.lines());
});

test('callers read their own use by what they ask for, operators everybody’s', async () => {
  interface Sum {
    readonly operation: string;
    readonly source: string | null;
    readonly requests: number;
    readonly listingsShown: number;
  }
  const path = '/v1/usage/history?groupBy=operation,source,status';
  const { data } = (await service.json(path, keys.pro)) as { data: readonly Sum[] };
  const known = (name: string) => oracle.sums.get(name) ?? assert.fail(name);
  const of = (operation: string) => data.filter((sum) => sum.operation === operation);
  const maps = known('pro search mapSales 2');
  assert.deepEqual(
    of('mapSales').map(({ source, requests, listingsShown }) => [source, requests, listingsShown]),
    [
      [null, maps.requests, 0],
      ...[...maps.shown].sort(([a], [b]) => (a < b ? -1 : 1)).map(([source, shown]) => [source, 0, shown]),
    ],
  );
  assert.deepEqual(of('exportSales'), [], 'that is another caller’s');
  const problem = (query: string) =>
    service.get(`/v1/usage/history?${query}`, keys.pro).then((each) => each.json());
  assert.match(JSON.stringify(await problem('groupBy=hour,day')), /one of hour, day and month/);
  assert.match(JSON.stringify(await problem('from=2026-01-09&to=2026-01-05')), /from is after to/);
  assert.match(JSON.stringify(await problem('groupBy=account')), /INVALID_PARAMETER/);
  assert.match(
    JSON.stringify(await problem('from=2025-01-01&to=2026-01-05&groupBy=hour')),
    /hour needs 31 days/,
  );
  const days = ['--from', new Date(NOW).toISOString().slice(0, 10), '--to', '2026-12-31', '--csv'];
  const environment = { DATABASE_URL: service.databaseUrl, SOURCE: 'none' };
  const { stdout } = await runCommand(['usage', '--by', 'channel,operation,source', ...days], {
    folder,
    environment,
  });
  const [, shown] = [...maps.shown].find(([source]) => source === 'abor') ?? [];
  assert.match(stdout, new RegExp(`^search,mapSales,abor,0,${shown},0\\r$`, 'm'));
  const table = await runCommand(['usage', '--by', 'chanel'], { folder, environment });
  assert.match(table.stderr, /Did you mean channel\?/);
});

test('at 80 and 100 % of a month every answer says so, the owner has one event for each, and so does the page', async () => {
  const target = { type: 'search', listingType: 'sale', query: { minBedrooms: 3 } };
  const created = await sendWatcher(service, 'POST', '', { key: keys.free, body: { target } });
  assert.equal(created.status, 201, created.text);
  const use = (used: number) =>
    database.write(
      (sql) => sql`
      update monthly_usage set used = ${used} where account = (
        select 'sub:' || id from subscription where tier = 'free' order by created_at limit 1)`,
    );
  const notices = async (): Promise<(string | null)[]> => {
    const answers = await Promise.all(
      [service.url, second.url].map((base) =>
        fetch(`${base}${SEARCH}?limit=1`, { headers: { authorization: `Bearer ${keys.free}` } }),
      ),
    );
    return answers.map(({ headers }) => headers.get('x-ratelimit-notice'));
  };
  const events = async (): Promise<number[]> => {
    const { data } = (await service.json('/v1/events?type=account.quota_reached', keys.free)) as {
      data: readonly { data: { threshold: number } }[];
    };
    return data.map(({ data: { threshold } }) => threshold);
  };
  assert.equal((await use(700)).count, 1);
  assert.deepEqual(await notices(), [null, null]);
  await use(805);
  assert.deepEqual(await notices(), ['"month";p=80', '"month";p=80']);
  await until('the owner has an event', async () => (await events()).length > 0);
  const page = await fetch(`${service.url}/account`, {
    method: 'POST',
    body: new URLSearchParams({ api_key: keys.free }),
    headers: { origin: service.url },
  });
  assert.match(textOf(await page.text()), /More than 80 % of this month is used/);
  await use(999);
  assert.ok((await notices()).includes('"month";p=100'));
  await notices();
  // Nothing is left to read events with.
  const written = async (): Promise<number[]> => {
    const rows = await database.read(
      (sql) => sql<{ data: { threshold: number } }[]>`
        select data from watch_event where type = 'account.quota_reached' order by sequence`,
    );
    return rows.map(({ data }) => data.threshold);
  };
  await until('the owner has another event', async () => (await written()).length > 1);
  assert.deepEqual(await written(), [80, 100]);
});
