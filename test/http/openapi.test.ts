// Proof that the OpenAPI document is valid, complete and stable.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { type Describe, openapiDocument } from '../../src/http/openapi/openapi.ts';
import { serveRoutes, type TestRoute, testRoute } from '../support/service/http-server.ts';

const Money = Type.Object({ amount: Type.Number(), currency: Type.String() }, { $id: 'Money' });
const Item = Type.Object(
  { id: Type.String(), price: Type.Union([Money, Type.Null()]), former: Type.Array(Money) },
  { $id: 'Item' },
);
const query = Type.Object({
  limit: Type.Integer({ default: 20, minimum: 1, description: 'Most items.', aliases: ['pageSize'] }),
  status: Type.Optional(Type.Array(Type.Enum(['ACTIVE', 'CLOSED']), { caseInsensitive: true })),
  city: Type.Optional(Type.Array(Type.String(), { separator: null })),
  since: Type.String({ format: 'date' }),
});
const required = { credentials: 'required', counts: 'month', tier: 'pro', scope: 'listings:read' } as const;
const routes = [
  testRoute({
    path: '/v1/items/:id',
    operation: 'getItem',
    access: required,
    params: Type.Object({ id: Type.String({ description: 'The id.', missing: 'LISTING_NOT_FOUND' }) }),
    query,
    answer: { description: 'The item.', schema: Item },
    alsoAnswers: { 304: 'Unchanged.', 404: 'No item has this id.' },
  }),
  testRoute({
    path: '/v1/items',
    method: 'POST',
    operation: 'addItem',
    body: Item,
    answer: { description: 'The item.', schema: Item, example: { id: '1', price: null, former: [] } },
  }),
  testRoute({
    path: '/v1/live',
    operation: 'streamItem',
    accepts: ['text/event-stream'],
    answer: { description: 'Events.', contentType: 'text/event-stream' },
  }),
];
const describe = {
  title: 'Test',
  version: '1',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  server: 'https://listings.test',
  tags: { Test: 'Test.', Health: 'Health.', Service: 'Service.' },
} satisfies Describe;

/** Reads a path such as `paths./v1/items.post` whose parts are given one by one. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);
}

test('the linter finds no fault in the served document', async (t) => {
  const web = await serveRoutes(t, routes, { describe });
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'openapi.json');
  await writeFile(file, await (await web.fetch('/openapi.json')).text());
  const redocly = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js');
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const lint = promisify(execFile)(process.execPath, [redocly, 'lint', '--format=json', file], {
    env: environment,
  });
  const { stdout } = await lint.catch((error: { stdout: string }) => error);
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  assert.equal(totals.errors, 0, JSON.stringify(problems, null, 2));
});

test('every served route is in the document, health and the document itself included', async (t) => {
  const web = await serveRoutes(t, routes, { describe });
  const document = await (await web.fetch('/openapi.json')).json();
  const operations = Object.entries(at(document, 'paths') as object).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(operations.sort(), [
    'get /livez',
    'get /metrics',
    'get /openapi.json',
    'get /openapi.yaml',
    'get /readyz',
    'get /v1/items/{id}',
    'get /v1/live',
    'post /v1/items',
  ]);
  assert.deepEqual(document, JSON.parse(JSON.stringify(web.server.openapi)));
});

test('an answer has one content: its main type, as text unless there is a schema; an empty body has none', () => {
  const answer = { description: 'The item.', schema: Item };
  const contentOf = (route: Partial<TestRoute>) =>
    at(
      openapiDocument([testRoute({ path: '/v1/forms', ...route })], describe),
      'paths',
      '/v1/forms',
      'get',
      'responses',
      '200',
      'content',
    );
  const item = { schema: { $ref: '#/components/schemas/Item' } };
  assert.deepEqual(contentOf({ accepts: ['application/json', 'text/csv'], answer }), {
    'application/json': item,
  });
  assert.deepEqual(contentOf({ accepts: ['text/csv'], answer: { description: 'Rows.' } }), {
    'text/csv': { schema: { type: 'string' } },
  });
  assert.deepEqual(contentOf({ accepts: ['text/event-stream'], answer }), { 'text/event-stream': item });
  assert.deepEqual(
    contentOf({
      accepts: ['text/html', 'application/json'],
      answer: { ...answer, contentType: 'application/json' },
    }),
    {
      'application/json': item,
    },
  );
  assert.equal(contentOf({ answer: { description: 'Gone.' } }), undefined);
});

test('each status names the codes that the operation can answer there, as examples', () => {
  const item = { ...routes[0], codes: ['INVALID_CURSOR', 'CURSOR_EXPIRED'] } as TestRoute;
  const document = openapiDocument([item], describe);
  const responses = at(document, 'paths', '/v1/items/{id}', 'get', 'responses') as Record<
    string,
    { $ref?: string }
  >;
  const codes = Object.entries(responses).flatMap(([status, { $ref, ...own }]) => {
    const name = $ref?.split('/').at(-1) ?? '';
    const response = $ref === undefined ? own : at(document, 'components', 'responses', name);
    const examples = at(response, 'content', 'application/problem+json', 'examples') as object | undefined;
    return examples === undefined ? [] : [`${status} ${Object.keys(examples).join(' ')}`];
  });
  assert.deepEqual(codes, [
    '400 INVALID_REQUEST INVALID_PARAMETER INVALID_BODY INVALID_CURSOR',
    '401 MISSING_API_KEY INVALID_API_KEY EXPIRED_API_KEY INVALID_TOKEN EXPIRED_TOKEN',
    '403 TIER_RESTRICTED INSUFFICIENT_SCOPE',
    '404 LISTING_NOT_FOUND',
    '406 NOT_ACCEPTABLE',
    '410 CURSOR_EXPIRED',
    '429 RATE_LIMITED QUOTA_EXCEEDED',
    '500 INTERNAL_ERROR',
    '503 SHUTTING_DOWN MAINTENANCE OVERLOADED DATABASE_UNAVAILABLE SUBSCRIPTIONS_UNAVAILABLE',
  ]);
  const example = at(document, 'components', 'examples', 'CURSOR_EXPIRED', 'value');
  assert.deepEqual([at(example, 'status'), at(example, 'code')], [410, 'CURSOR_EXPIRED']);
});

test('a map is described by additionalProperties, which generators of clients read', () => {
  const counts = Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Integer());
  const answer = {
    description: 'Counts.',
    schema: Type.Object({ counts, any: Type.Record(Type.String(), Item) }),
  };
  const document = openapiDocument([testRoute({ path: '/v1/counts', answer })], describe);
  const content = at(
    document,
    'paths',
    '/v1/counts',
    'get',
    'responses',
    '200',
    'content',
    'application/json',
  );
  assert.deepEqual(at(content, 'schema', 'properties'), {
    counts: {
      type: 'object',
      additionalProperties: { type: 'integer' },
      propertyNames: { type: 'string', pattern: '^[a-z]+$' },
    },
    any: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Item' } },
  });
});

test('an operation says who may call it, in the words that are handed over', () => {
  const document = openapiDocument(routes, { ...describe, describeAccess: ({ tier }) => `Tier: ${tier}.` });
  assert.equal(at(document, 'paths', '/v1/items/{id}', 'get', 'description'), 'Tier: pro.');
});

test('a page for people is no operation', () => {
  const page = testRoute({ path: '/help', page: true, tag: 'Unheard of' });
  assert.equal(JSON.stringify(openapiDocument([...routes, page], describe)).includes('/help'), false);
});

test('the same routes give the same text', () => {
  assert.equal(
    JSON.stringify(openapiDocument(routes, describe)),
    JSON.stringify(openapiDocument(routes, describe)),
  );
});

test('a named schema is once under components and is referred to everywhere else', () => {
  const document = openapiDocument(routes, describe);
  const named = at(document, 'components', 'schemas') as Record<string, unknown>;
  assert.deepEqual(Object.keys(named), ['Item', 'Money', 'Problem']);
  assert.deepEqual(at(named, 'Item', 'properties', 'former', 'items'), {
    $ref: '#/components/schemas/Money',
  });
  assert.equal(JSON.stringify(document).includes('"$id"'), false);
  const twin = testRoute({
    path: '/v1/twin',
    answer: { description: '', schema: Type.Object({}, { $id: 'Item' }) },
  });
  assert.throws(() => openapiDocument([...routes, twin], describe), /Two different schemas are called Item/);
});

test('parameters are described as they are read', () => {
  const document = openapiDocument(routes, describe);
  const parameters = at(document, 'paths', '/v1/items/{id}', 'get', 'parameters') as Record<
    string,
    unknown
  >[];
  const [id, limit, status, city, since] = parameters;
  assert.deepEqual(id, {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id.',
    schema: { type: 'string' },
  });
  assert.equal(limit?.required, false);
  assert.equal(limit?.description, 'Most items. Also known as `pageSize`.');
  assert.deepEqual(limit?.schema, { type: 'integer', default: 20, minimum: 1 });
  assert.equal(status?.explode, false);
  assert.match(String(status?.description), /Not case-sensitive/);
  assert.equal(city?.explode, true);
  assert.equal(since?.required, true);
});

test('answers are those that can occur by what the route asks and takes', () => {
  const document = openapiDocument(routes, describe);
  const statuses = (path: string, method: string) =>
    Object.keys(at(document, 'paths', path, method, 'responses') as object).join(' ');
  assert.equal(statuses('/v1/items/{id}', 'get'), '200 304 400 401 403 404 406 429 500 503');
  assert.equal(statuses('/v1/items', 'post'), '200 400 401 406 413 415 429 500 503');
  const get = at(document, 'paths', '/v1/items/{id}', 'get');
  assert.deepEqual(at(get, 'security'), [{ apiKey: [] }]);
  assert.equal(
    at(get, 'responses', '404', 'description'),
    'No item has this id. Codes: `LISTING_NOT_FOUND`.',
  );
  assert.ok(at(get, 'responses', '200', 'headers', 'RateLimit'));
  const post = at(document, 'paths', '/v1/items', 'post');
  assert.deepEqual(at(post, 'security'), [{}, { apiKey: [] }]);
});

test('the document has tokens only once they are issued', () => {
  const scopes = { 'listings:read': 'Read.' };
  const oauth = { authorizationUrl: 'https://listings.test/a', tokenUrl: 'https://listings.test/t', scopes };
  const document = openapiDocument(routes, { ...describe, oauth });
  assert.deepEqual(at(document, 'paths', '/v1/items/{id}', 'get', 'security'), [
    { apiKey: [] },
    { oauth: ['listings:read'] },
  ]);
  assert.equal(at(openapiDocument(routes, describe), 'components', 'securitySchemes', 'oauth'), undefined);
});

test('the document is sent again only when it changed', async (t) => {
  const web = await serveRoutes(t, routes, { describe });
  const etag = (await web.fetch('/openapi.json')).headers.get('etag') ?? '';
  const again = await web.fetch('/openapi.json', { headers: { 'if-none-match': `"x", W/${etag}` } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get('etag'), etag);
  assert.equal(await again.text(), '');
});
