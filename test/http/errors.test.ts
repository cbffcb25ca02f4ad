// Proof that every error a client can meet is met by a request to the real service, whole and as documented.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { PROBLEMS, type ProblemCode } from '../../src/lib/problem.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { deliver, STRIPE_SETTINGS, signStripe } from '../support/billing/signed-events.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { atEnd, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';
import { holdLoad } from '../support/engine/held-load.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { manualClock } from '../support/service/clock.ts';
import { parseRaw, readToEnd } from '../support/service/http-server.ts';
import { quietPort } from '../support/service/ports.ts';
import { type Answer, checkProblem } from '../support/service/problem-documents.ts';
import { startService } from '../support/service/service.ts';
import { keyNumber, stubProvider } from '../support/service/stub-provider.ts';
import { sendWatcher } from '../support/watch/watchers.ts';

interface RequestOptions {
  readonly path?: string;
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Trigger = () => Promise<Answer>;

const service = await startService({ after });
const folder = await temporaryFolder({ after }, 'errors');
const tiersFile = join(folder, 'tiers.json');
await writeFile(tiersFile, JSON.stringify({ free: { month: 1 }, pro: { streams: 0 } }));
const provider = stubProvider();
/** Small in every respect: quotas, streams, callers, timeouts, and subscriptions that can be made to fail. */
const small = await startService(
  { after },
  {
    environment: { ...STRIPE_SETTINGS, TIERS_FILE: tiersFile, TRUSTED_PROXIES: '127.0.0.1' },
    overrides: { provider, capacity: 2, limits: { headersTimeoutMs: 200, checkIntervalMs: 20 } },
  },
);
/** With a market that it never has loaded. */
const loading = await startService({ after }, { overrides: { searchBuilder: holdLoad().searchBuilder } });
const { keys } = service;
const ids = await writer(service)(draft('one'));
const [freeKey, proKey] = [provider.subscribe('free'), provider.subscribe('pro')];

async function ask(
  { path = '/v1/areas', method = 'GET', key, headers = {} }: RequestOptions,
  url = service.url,
) {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}${path}`, { method, headers: { ...authorization, ...headers } });
  return answerOf(answer);
}

const answerOf = async (answer: Response): Promise<Answer> => ({
  status: answer.status,
  headers: new Map(answer.headers),
  body: await answer.text(),
});

async function send(bytes: string, url = service.url): Promise<Answer> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined).write(bytes);
  return parseRaw(await readToEnd(socket));
}

async function last(count: number, trigger: Trigger): Promise<Answer> {
  for (let before = 1; before < count; before += 1) await trigger();
  return trigger();
}

/** The service over a connection to its database that is then cut. */
async function withoutDatabase(): Promise<Answer> {
  const { url: direct } = await testDatabase({ after });
  const proxy = await startDatabaseProxy({ after }, direct);
  const database = openDatabase({ url: proxy.url });
  const port = await quietPort();
  const publicUrl = service.url;
  const environment = { DATABASE_URL: direct, DATA_DIR: folder, SOURCE: 'none' };
  const app = await createApp({
    config: readConfig(environment, folder),
    database,
    source: null,
    interval: 0,
    publicUrl,
    log: createLog({ level: 'silent' }),
    overrides: { clock: manualClock() },
  });
  atEnd({ after }, async () => {
    await app.stop();
    await database.close(100);
  });
  await app.server.listen('127.0.0.1', port);
  proxy.mode = 'cut';
  return ask({ path: '/v1/areas/any' }, `http://127.0.0.1:${port}`);
}

async function withBrokenTable(): Promise<Answer> {
  await service.database.write((sql) => sql`alter table area rename to area_elsewhere`);
  const answer = await ask({ key: keys.internal });
  await service.database.write((sql) => sql`alter table area_elsewhere rename to area`);
  return answer;
}

async function whileDraining(): Promise<Answer> {
  provider.mode = 'wait';
  const before = provider.calls;
  const waiting = ask({ key: keyNumber(3) }, small.url);
  await until('the provider is queried', () => provider.calls > before);
  const stopping = small.app.stop();
  const answer = await ask({}, small.url);
  provider.settle();
  await waiting;
  await stopping;
  return answer;
}

const HEAD = `Host: x\r\nAuthorization: Bearer ${keys.internal}\r\n`;
const PRO = HEAD.replace(keys.internal, keys.pro);
const search =
  (query: string): Trigger =>
  () =>
    ask({ path: `/v1/search/sales?${query}`, key: keys.pro });
const subscriptions = createLocalSubscriptions(service.database, service.clock);

/** A watcher of a subscription of its own: its path, and the key. */
async function createWatcher(headers: Readonly<Record<string, string>> = {}) {
  const { key } = await subscriptions.create({ plan: 'pro' });
  const body = { target: { type: 'listing', listingId: ids.get('one') } };
  const answer = await sendWatcher(service, 'POST', '', { key, body, headers });
  assert.equal(answer.status, 201, answer.text);
  return { key, path: `/v1/watchers/${answer.watcher.id}` };
}

async function askForWatcher(key: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${service.url}/v1/watchers`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: new Map(answer.headers), body: await answer.text() };
}

/** How each code is met. The order matters twice: draining is the end of the small service, so it comes last. */
const ROWS: { readonly [code in ProblemCode]?: Trigger } = {
  MISSING_API_KEY: () => ask({ path: '/v1/usage' }),
  INVALID_API_KEY: () => ask({ key: keyNumber(1) }),
  async EXPIRED_API_KEY() {
    const { key } = await subscriptions.create({
      plan: 'pro',
      endsAt: new Date(service.clock.now() + 1_000),
    });
    service.clock.advance(1_000);
    return ask({ key });
  },
  INVALID_TOKEN: () => ask({ headers: { authorization: 'Basic eDp5' } }),
  async EXPIRED_TOKEN() {
    const { accessToken } = await signIn(service, { key: keys.internal });
    service.clock.advance(3_600_000);
    return ask({ key: accessToken });
  },
  async INSUFFICIENT_SCOPE() {
    const { accessToken } = await signIn(service, { key: keys.pro, scope: 'listings:read' });
    return ask({ path: '/v1/listing/x', key: accessToken });
  },
  ORIGIN_NOT_ALLOWED: () => ask({ path: '/mcp', headers: { origin: 'https://elsewhere.example' } }),
  TIER_RESTRICTED: () => ask({ path: '/v1/listing/x', key: keys.free }),
  INVALID_REQUEST: () => send(`GET /v1/areas HTTP/1.1\r\n${HEAD}${HEAD}Connection: close\r\n\r\n`),
  INVALID_PARAMETER: search('minPrise=1'),
  INVALID_CURSOR: search('cursor=abc'),
  INVALID_GEOMETRY: search('polygon=1,1;2,2'),
  INVALID_BODY: () => send(`GET /v1/areas HTTP/1.1\r\n${HEAD}Content-Length: 2\r\n\r\n{}`),
  NOT_FOUND: () => ask({ path: '/v2' }),
  LISTING_NOT_FOUND: () => ask({ path: '/v1/listing/x', key: keys.pro }),
  PROPERTY_NOT_FOUND: () => ask({ path: '/v1/property/x', key: keys.pro }),
  AREA_NOT_FOUND: () => ask({ path: '/v1/areas/x', key: keys.pro }),
  WATCHER_NOT_FOUND: () => ask({ path: '/v1/watchers/x', key: keys.pro }),
  async CONFLICT() {
    const { key, path } = await createWatcher();
    await service.database.write((sql) => sql`update watcher set status = 'expired'`);
    return ask({ method: 'POST', path: `${path}/pause`, key });
  },
  async PRECONDITION_FAILED() {
    const { key, path } = await createWatcher();
    return ask({ method: 'POST', path: `${path}/pause`, key, headers: { 'if-match': '"another"' } });
  },
  async IDEMPOTENCY_KEY_REUSED() {
    const headers = { 'idempotency-key': 'once' };
    const { key } = await createWatcher(headers);
    return askForWatcher(key, { target: { type: 'listing', listingId: 'lst_other' } }, headers);
  },
  WEBHOOKS_UNAVAILABLE: () =>
    askForWatcher(keys.pro, {
      target: { type: 'listing', listingId: ids.get('one') },
      delivery: [{ type: 'webhook', url: 'https://receiver.example/hook' }],
    }),
  async CURSOR_EXPIRED() {
    const latest = await service.json('/v1/events?after=now', keys.pro);
    const { nextCursor } = (latest as { page: { nextCursor: string } }).page;
    await service.database.write((sql) => sql`update watch_event_retention set dropped_through = 1000`);
    return ask({ path: `/v1/events?after=${nextCursor}`, key: keys.pro });
  },
  INVALID_SIGNATURE: async () =>
    answerOf(await deliver(small, { ...signStripe('{}', { at: small.clock.now() }), body: '[]' })),
  METHOD_NOT_ALLOWED: () => ask({ method: 'DELETE' }),
  NOT_ACCEPTABLE: () => ask({ key: keys.pro, headers: { accept: 'text/csv' } }),
  REQUEST_TIMEOUT: () => send('GET /v1/areas HTTP/1.1\r\nHost: x\r\nX-', small.url),
  PAYLOAD_TOO_LARGE: () =>
    send(
      `POST /v1/search/sales HTTP/1.1\r\n${PRO}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `1;${'a'.repeat(40_000)}\r\n`,
    ),
  UNSUPPORTED_MEDIA_TYPE: () =>
    send(`POST /v1/search/sales HTTP/1.1\r\n${PRO}Content-Type: text/csv\r\nContent-Length: 2\r\n\r\n{}`),
  URI_TOO_LONG: () => ask({ path: `/v1/areas?q=${'a'.repeat(9_000)}` }),
  RATE_LIMITED: () => last(11, () => ask({ path: '/v1/areas?limit=1' })),
  QUOTA_EXCEEDED: () => last(2, () => ask({ key: freeKey }, small.url)),
  TOO_MANY_STREAMS: () => ask({ path: '/v1/listing/x', key: proKey }, small.url),
  HEADERS_TOO_LARGE: () => send(`GET /v1/areas HTTP/1.1\r\n${HEAD}X-A: ${'a'.repeat(17_000)}\r\n\r\n`),
  INTERNAL_ERROR: withBrokenTable,
  async SUBSCRIPTIONS_UNAVAILABLE() {
    provider.mode = 'fail';
    return ask({ key: keyNumber(2) }, small.url);
  },
  DATABASE_UNAVAILABLE: withoutDatabase,
  async OVERLOADED() {
    let host = 0;
    return last(3, () => ask({ headers: { 'x-forwarded-for': `192.0.2.${++host}` } }, small.url));
  },
  SEARCH_LOADING: () => ask({ path: '/v1/search/sales' }, loading.url),
  async MAINTENANCE() {
    await loading.app.suspend();
    return ask({}, loading.url);
  },
  SHUTTING_DOWN: whileDraining,
};

const page = await (await service.get('/docs/errors')).text();

test('every code has a request that meets it', () => {
  for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
    assert.ok(ROWS[code], `${code} needs a row`);
  }
});

for (const [name, trigger] of Object.entries(ROWS)) {
  const code = name as ProblemCode;
  test(`${code} is met, whole and as documented`, async () => {
    checkProblem(code, await trigger(), { base: answerBase(code), page });
  });
}

/** Where links lead: the small service is another one. */
function answerBase(code: ProblemCode): string {
  const ofSmall: readonly ProblemCode[] = [
    'REQUEST_TIMEOUT',
    'QUOTA_EXCEEDED',
    'TOO_MANY_STREAMS',
    'OVERLOADED',
    'SUBSCRIPTIONS_UNAVAILABLE',
    'SHUTTING_DOWN',
    'INVALID_SIGNATURE',
  ] as const;
  if (code === 'SEARCH_LOADING' || code === 'MAINTENANCE') return loading.url;
  return ofSmall.includes(code) ? small.url : service.url;
}
