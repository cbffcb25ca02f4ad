// Contract of @freehold/client: every operation, pages, streams, feeds over cuts, errors, repeats and webhooks, against the service.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import {
  type Attempt,
  AuthenticationError,
  ConnectionError,
  CursorExpiredError,
  Freehold,
  FreeholdError,
  InvalidRequestError,
  NotFoundError,
  Pages,
  RateLimitError,
  type SalesQuery,
  TimeoutError,
  verifyWebhook,
  WebhookError,
} from '../../packages/client/src/index.ts';
import { type Login, loginByLoopback } from '../../packages/client/src/login.ts';
import { poll, until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { clientsSkip } from '../support/process/client-packages.ts';
import { startService } from '../support/service/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
};
const operations = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId }) => (operationId === undefined ? [] : [operationId]));

const service = await startService({ after }, { source: 'sample' });
const { url: baseUrl, keys } = service;
const client = new Freehold({ baseUrl, key: keys.business });

test('what is generated is that of the document', { skip: clientsSkip() }, async (t) => {
  const folder = await temporaryFolder(t, 'generated');
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools/client.ts'), folder]);
  for (const file of globSync('**/*.ts', { cwd: folder }))
    assert.equal(
      readFileSync(join(ROOT, 'packages/client/src/generated', file), 'utf8'),
      readFileSync(join(folder, file), 'utf8'),
      `${file}: run node tools/client.ts`,
    );
});

/** A server that answers as the test says. */
async function serve(
  answer: (path: string, place: number) => readonly [number, Record<string, string>, string],
) {
  const paths: string[] = [];
  const agents: (string | undefined)[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    agents.push(request.headers['user-agent']);
    credentials.push(request.headers.authorization);
    const [status, headers, body] = answer(request.url ?? '', paths.length - 1);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  return { url, paths, agents, credentials, client: new Freehold({ baseUrl: url, key: 'k' }) };
}

test('every operation of the document is a method that reaches it', async () => {
  const page = await poll('the search knows the sample', async () => {
    const first = await client.search.sales({ limit: 1 }).page();
    return first.data?.length === 1 ? first : undefined;
  });
  const id = page.data?.[0]?.id ?? '';
  const propertyId = page.data?.[0]?.propertyId ?? '';
  const [area] = (await client.operations.listAreas({ query: { limit: 1 } })).data;
  const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
  const watcher = await client.operations.createWatcher({ body: { target } });
  const common = { query: { listingType: 'sale', areaId: [area?.id], currency: 'USD' } };
  const given: Readonly<Record<string, object>> = {
    searchRentalsByBody: { body: { limit: 1 } },
    searchSalesByBody: { body: { limit: 1 } },
    getMarketStats: common,
    getMarketHistory: common,
    getMarketDistribution: common,
    compareMarkets: { query: { ...common.query, areaId: undefined, compare: [area?.id] } },
    getMarketYield: { query: { areaId: [area?.id], currency: 'USD' } },
  };
  const ids: Readonly<Record<string, string>> = {
    area: area?.id ?? '',
    property: propertyId,
    watchers: watcher.id,
  };
  /** Pages for people say what is wrong in HTML. */
  const pages = ['showConsent', 'decideConsent', 'listGrants'];
  const table: Record<string, string> = {};
  for (const [path, methods] of Object.entries(paths))
    for (const { operationId: name } of Object.values(methods)) {
      if (name === undefined || /^stream/.test(name)) continue;
      const kind = path.split('/')[2] ?? '';
      const places = {
        id: ids[kind === 'areas' ? 'area' : kind] ?? id,
        source: 'none',
        key: 'k',
        number: 1,
        delivery: 'd',
      };
      const call = client.operations[name as 'getUsage'] as (options: object) => Promise<unknown>;
      const outcome = await call.call(client.operations, { path: places, ...given[name] }).then(
        () => 'answered',
        (error: unknown) => (error instanceof FreeholdError ? error.code : assert.fail(error as Error)),
      );
      table[name] = outcome;
    }
  const answered = Object.entries(table).filter(([, outcome]) => outcome === 'answered');
  assert.equal(Object.keys(table).length, operations.filter((name) => !/^stream/.test(name)).length);
  // The rest need credentials of another kind, or a body: they are refused by name.
  assert.deepEqual(
    Object.entries(table).filter(
      ([name, outcome]) =>
        ['UNKNOWN', 'NOT_FOUND', 'CONNECTION_FAILED'].includes(outcome) && !pages.includes(name),
    ),
    [],
  );
  assert.ok(answered.length > 40, JSON.stringify(table, null, 1));
});

test('a search goes over all its pages, gives one with its figures, and all as CSV or lines', async () => {
  const search = client.search.sales({ minBedrooms: 3, limit: 7 });
  const seen: string[] = [];
  for await (const { id = '' } of search) {
    seen.push(id);
    if (seen.length === 20) break;
  }
  assert.equal(new Set(seen).size, 20);
  const { total, stats } = await client.search
    .sales({ minBedrooms: 3, limit: 1, stats: ['median_list_price'] })
    .page();
  assert.ok((total?.value ?? 0) > 20 && (stats?.median_list_price?.value ?? 0) > 0);
  assert.deepEqual(
    (await search.all({ limit: 20 })).map(({ id }) => id),
    seen,
  );
  const areas = new Pages((place) => client.operations.listAreas({ query: { limit: 2, ...place } }));
  assert.equal((await areas.all({ limit: 5 })).length, 5);
});

test('all results come as lines and as CSV with one head, whether the plan gets them in one answer or in pages', async () => {
  const query: SalesQuery = { minBedrooms: 3, fields: ['id', 'price'], facets: ['bedrooms'] };
  const all = (await client.search.sales({ ...query, limit: 100 }).all()).map(({ id }) => id);
  assert.ok(all.length > 20, 'more than a page of an export');
  let sent = 0;
  const onAttempt = () => {
    sent++;
  };
  for (const key of [keys.business, keys.pro]) {
    const search = new Freehold({ baseUrl, key, onAttempt }).search.sales(query);
    const lines = await Array.fromAsync(search.lines());
    assert.deepEqual(
      lines.map(({ id }) => id),
      all,
    );
    const rows = (await Array.fromAsync(search.csv())).join('').trim().split('\r\n');
    assert.deepEqual(
      rows.map((row) => row.split(',')[0]),
      ['id', ...all],
    );
  }
  assert.ok(sent > 4, 'one plan has pages');
});

test('a stream of one listing ends at its end, and is not opened again', async () => {
  const { data } = await client.search.sales({ limit: 1 }).page();
  const types: string[] = [];
  for await (const event of client.listing.stream(data?.[0]?.id ?? '')) types.push(event.type);
  assert.deepEqual(types, ['cached', 'live']);
  const cut = await serve(() => [
    200,
    { 'content-type': 'text/event-stream' },
    'event: cached\ndata: {}\n\n',
  ]);
  await assert.rejects(async () => {
    for await (const _ of cut.client.listing.stream('lst_1'));
  }, ConnectionError);
  assert.equal(cut.paths.length, 1);
});

test('whoever stops reading closes the connection, and a silent one is given up', async (t) => {
  const closed: string[] = [];
  const server = createServer((request, response) => {
    response.on('close', () => closed.push(request.url ?? ''));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: cached\ndata: {}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const open = new Freehold({ baseUrl: `http://127.0.0.1:${port}` });
  for await (const event of open.listing.stream('broken')) {
    assert.equal(event.type, 'cached');
    break;
  }
  await until('the connection is closed', () => closed.includes('/v1/listing/broken'));
  await assert.rejects(async () => {
    for await (const _ of open.withOptions({ idleTimeout: 20 }).listing.stream('silent'));
  }, TimeoutError);
  await until('the silent one too', () => closed.includes('/v1/listing/silent'));
  const stop = new AbortController();
  await assert.rejects(async () => {
    for await (const _ of open.listing.stream('aborted', { signal: stop.signal }))
      stop.abort(new Error('enough'));
  }, /enough/);
});

test('a feed goes on behind its cursor over cuts, and reports events that are gone', async () => {
  const stream = { 'content-type': 'text/event-stream' };
  const event = (id: string) => `retry: 1\nid: ${id}\nevent: listing.updated\ndata: {"id":"evt_${id}"}\n\n`;
  const { client: cut, paths: asked } = await serve((_, place) => {
    if (place === 0) return [200, stream, event('a')];
    if (place === 1) return [0, {}, ''];
    return place < 4
      ? [200, stream, event(`b${place}`)]
      : [410, {}, '{"code":"CURSOR_EXPIRED","detail":"gone"}'];
  });
  const cursors: string[] = [];
  await assert.rejects(async () => {
    for await (const { cursor } of cut.events.feed({ after: 'now' })) cursors.push(cursor);
  }, CursorExpiredError);
  assert.equal(cursors[0], 'a');
  assert.ok(asked[0]?.endsWith('?after=now') && asked.at(-1)?.endsWith(`?after=${cursors.at(-1)}`));
});

test('a feed of one watcher has its events alone', async () => {
  const { data = [] } = await client.search.sales({ limit: 2 }).page();
  const [mine, other] = await Promise.all(
    data.map(({ id = '' }) => {
      const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
      return client.operations.createWatcher({ body: { target, backfill: true } });
    }),
  );
  const both = new Set<string>();
  for await (const { event } of client.events.feed()) {
    both.add(event.watcherId);
    if (both.has(mine?.id ?? '') && both.has(other?.id ?? '')) break;
  }
  for await (const { event, cursor } of client.events.feed({ watcherId: other?.id })) {
    assert.equal(event.watcherId, other?.id);
    assert.ok(event.type === 'search.match_added' && event.data.object.id === data[1]?.id);
    assert.ok(cursor.length > 0);
    break;
  }
  await assert.rejects(async () => {
    for await (const _ of client.events.feed({ watcherId: 'wat_000000000000000000000000' }));
  }, NotFoundError);
});

test('errors are of a class for what a program does about them, and say how', async () => {
  const misspelt = await client.operations
    .searchSales({ query: { nmae: 'x' } as object })
    .catch((error: unknown) => error);
  assert.ok(misspelt instanceof InvalidRequestError && misspelt.code === 'INVALID_PARAMETER');
  assert.equal(misspelt.faults[0]?.parameter, 'nmae');
  assert.match(misspelt.requestId ?? '', /^req_/);
  await assert.rejects(client.listing.get('nowhere'), NotFoundError);
  await assert.rejects(new Freehold({ baseUrl, key: 'wrong' }).search.sales().page(), AuthenticationError);
  assert.ok(client.limits.some(({ name, remaining }) => name === 'minute' && remaining > 0));
  const nobody = new Freehold({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
  await assert.rejects(nobody.search.sales().page(), ConnectionError);
});

test('429 and 503 are repeated where that is safe, as long as the service says', async () => {
  const problem = (code: string) => JSON.stringify({ code, detail: 'Later' });
  const json = { 'content-type': 'application/json' };
  const soon = { ...json, 'retry-after': '0' };
  const busy = await serve((_, place) =>
    place < 2 ? [503, soon, problem('OVERLOADED')] : [200, json, '{"id":"lst_1"}'],
  );
  assert.equal((await busy.client.listing.get('lst_1')).id, 'lst_1');
  const limited = await serve(() => [429, { ...json, 'retry-after': '900' }, problem('RATE_LIMITED')]);
  const refused = await limited.client.listing.get('lst_1').catch((error: unknown) => error);
  assert.ok(refused instanceof RateLimitError && refused.remedy === 'Try again in 900 seconds.');
  assert.equal(limited.paths.length, 1);
  const once = await serve(() => [503, soon, problem('OVERLOADED')]);
  await assert.rejects(once.client.operations.pauseWatcher({ path: { id: 'wat_1' } }), FreeholdError);
  assert.equal(once.paths.length, 1, 'a POST without a key is not repeated');
  const named = await serve((_, place) =>
    place < 1 ? [503, soon, problem('OVERLOADED')] : [200, json, '{}'],
  );
  const headers = { 'Idempotency-Key': 'mine' };
  await named.client.operations.pauseWatcher({ path: { id: 'wat_1' }, headers });
  assert.equal(named.paths.length, 2, 'with one it is');
});

test('each try is reported with its headers, and names the client', async () => {
  const soon = { 'retry-after': '0', 'x-request-id': 'req_1' };
  const { url, agents, client: busy } = await serve((_, place) => [place < 1 ? 503 : 200, soon, '{}']);
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt) => attempts.push(attempt);
  await busy.withOptions({ onAttempt }).listing.get('lst_1');
  assert.deepEqual(
    attempts.map(({ method, url: asked, retry, status, headers }) => [
      method,
      asked,
      retry,
      status,
      headers?.get('x-request-id'),
    ]),
    [
      ['GET', `${url}/v1/listing/lst_1/record`, 0, 503, 'req_1'],
      ['GET', `${url}/v1/listing/lst_1/record`, 1, 200, 'req_1'],
    ],
  );
  assert.match(agents[0] ?? '', /^freehold-client\/\d+\.\d+\.\d+$/);
});

test('address and key come from the environment together, and its key goes to no other address', async (t) => {
  const { url, credentials } = await serve(() => [200, {}, '{}']);
  t.after(() => {
    delete process.env.FREEHOLD_URL;
    delete process.env.FREEHOLD_KEY;
  });
  process.env.FREEHOLD_KEY = 'of the environment';
  assert.throws(() => new Freehold(), /FREEHOLD_URL/);
  process.env.FREEHOLD_URL = url;
  await new Freehold().listing.get('lst_1');
  await new Freehold({ baseUrl: url }).listing.get('lst_1');
  await new Freehold({ key: 'given' }).listing.get('lst_1');
  await new Freehold({ token: async () => 'fresh' }).listing.get('lst_1');
  assert.deepEqual(credentials, ['Bearer of the environment', undefined, 'Bearer given', 'Bearer fresh']);
});

test('what the caller aborts ends with its reason, and what takes too long is said to', async () => {
  const ending = AbortSignal.abort(new Error('enough'));
  await assert.rejects(client.listing.get('lst_1', { signal: ending }), /enough/);
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  after(() => silent.closeAllConnections());
  after(() => silent.close());
  const { port } = silent.address() as { port: number };
  const impatient = new Freehold({ baseUrl: `http://127.0.0.1:${port}`, timeout: 20, maxRetries: 0 });
  await assert.rejects(impatient.search.sales().page(), TimeoutError);
});

/** The person agrees with a key, or refuses. */
const decide = (decision: object) => async (address: string) => {
  const asked = Object.fromEntries(new URL(address).searchParams);
  const answer = await fetch(`${baseUrl}/oauth/authorize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ ...asked, ...decision }),
  });
  const back = new URL(asked.redirect_uri ?? '');
  const { code, error } = (await answer.json()) as { code?: string; error?: string };
  back.search = new URLSearchParams({
    ...(code === undefined ? { error: error ?? 'access_denied' } : { code }),
    state: asked.state ?? '',
    iss: baseUrl,
  }).toString();
  // Somebody else who knocks is not let in.
  assert.equal((await fetch(new URL('/callback?code=x&state=y', back))).status, 404);
  await fetch(back);
};

test('a program signs in by the browser, keeps its login, and refreshes once for all calls that wait', async () => {
  let login: Login | undefined;
  const save = (next: Login) => {
    login = next;
  };
  const name = 'Test of the client';
  const open = decide({ api_key: keys.pro });
  const token = await loginByLoopback({ baseUrl, name, open, save });
  assert.equal((await new Freehold({ baseUrl, token }).operations.getUsage()).tier, 'pro');
  assert.equal(await token(), await token(), 'as long as it lasts');
  const first = login;
  assert.ok(first !== undefined);
  const again = await loginByLoopback({ baseUrl, name, login: first, save, open: () => assert.fail() });
  const tokens = await Promise.all([again(), again(), again()]);
  assert.equal(new Set(tokens).size, 1);
  assert.notEqual(login?.refreshToken, first.refreshToken);
  const refuses = loginByLoopback({ baseUrl, name, open: decide({ decision: 'deny' }) });
  await assert.rejects(refuses, /You were not signed in/);
});

test('a key in a browser is refused before any request', () => {
  Object.assign(globalThis, { document: {} });
  try {
    assert.throws(() => new Freehold({ baseUrl, key: keys.pro }), /everybody/);
    assert.ok(new Freehold({ baseUrl, token: async () => 't' }));
  } finally {
    Reflect.deleteProperty(globalThis, 'document');
  }
});

test('a webhook counts only with a signature of one of the secrets, and while it is new', async () => {
  const secret = `whsec_${Buffer.from('s'.repeat(24)).toString('base64')}`;
  const body = '{"id":"evt_1","type":"listing.updated"}';
  const time = Math.floor(Date.now() / 1_000);
  const sign = (text: string) =>
    `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`msg_1.${time}.${text}`)
      .digest('base64')}`;
  const delivery = (text: string, signature = sign(text)) =>
    new Request('http://receiver/', {
      method: 'POST',
      body: text,
      headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': String(time), 'webhook-signature': signature },
    });
  const other = `whsec_${Buffer.from('o'.repeat(24)).toString('base64')}`;
  assert.equal((await verifyWebhook(delivery(body), [other, secret])).id, 'evt_1');
  await assert.rejects(verifyWebhook(delivery(body), other), WebhookError);
  await assert.rejects(verifyWebhook(delivery(`${body} `, sign(body)), secret), WebhookError);
  await assert.rejects(verifyWebhook(delivery(body), secret, (time + 301) * 1_000), WebhookError);
  await assert.rejects(verifyWebhook(delivery(body, ''), secret), WebhookError);
});
