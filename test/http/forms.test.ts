// Proof that forms are read exactly, and that a route may write its errors, queries and refusals in a form of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { ErrorForm } from '../../src/http/frame/route.ts';
import { problemOf, serveRoutes, testRoute } from '../support/service/http-server.ts';

const body = Type.Object({
  name: Type.String(),
  note: Type.Optional(Type.String()),
  place: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  tag: Type.Optional(Type.Array(Type.String())),
});
const access = { credentials: 'none', counts: 'nothing' } as const;
const both = ['application/x-www-form-urlencoded', 'application/json'] as const;
const echo = testRoute({
  method: 'POST',
  path: '/v1/forms',
  access,
  body,
  consumes: both,
  bodyBytes: 1_024,
  handle: ({ body: fields }) => ({ json: fields }),
});

const plain: ErrorForm = {
  write: ({ problem, requestId, request, headers }) => ({
    status: problem.status === 415 ? 400 : problem.status,
    headers,
    json: { failed: problem.code, requestId, header: request['x-test'] ?? null },
  }),
  answers: { 400: 'Malformed.', 405: 'Another method.' },
  content: { 'application/json': Type.Object({ failed: Type.String() }) },
};
const ownErrors = testRoute({
  method: 'POST',
  path: '/v1/plain',
  access,
  body,
  consumes: [both[0]],
  errors: plain,
  handle: () => {
    throw new Error('broken');
  },
});
const free = testRoute({
  path: '/v1/free',
  access,
  ownQuery: true,
  anyAccept: true,
  handle: ({ url, mediaType }) => ({ json: { url, mediaType } }),
});

const form = (text: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: text,
});

const READ: readonly [string, unknown][] = [
  ['name=a+b%26c', { name: 'a b&c' }],
  ['name=x&note=', { name: 'x' }],
  ['name=x&unknown=1', { name: 'x' }],
  ['name=x&__proto__=1&constructor=2', { name: 'x' }],
  ['name=x&place=1', { name: 'x', place: '1' }],
  ['name=x&place=1&place=2', { name: 'x', place: ['1', '2'] }],
  ['name=x&tag=1', { name: 'x', tag: ['1'] }],
  ['&name=%C3%A9&&', { name: 'é' }],
];

test('a form arrives as its fields: decoded, known ones only, lists where the schema has lists', async (t) => {
  const web = await serveRoutes(t, [echo]);
  for (const [text, fields] of READ) {
    const answer = await web.fetch('/v1/forms', form(text));
    assert.deepEqual([answer.status, await answer.json()], [200, fields], text);
  }
});

test('a form with a field sent twice, without a needed field, or badly escaped is refused', async (t) => {
  const web = await serveRoutes(t, [echo]);
  const many = Array.from({ length: 101 }, (_, at) => `${at}`).join('&');
  const refused = ['name=a&name=b', 'name=a&name=', 'note=x', '', 'name=%ff', 'name=%0', 'name=%00', many];
  for (const text of [...refused, 'name=x&unknown=1&unknown=2']) {
    const answer = await web.fetch('/v1/forms', form(text));
    assert.deepEqual([answer.status, (await problemOf(answer)).code], [400, 'INVALID_BODY'], text);
  }
});

test('a route reads the types of body that it names, up to its own size', async (t) => {
  const web = await serveRoutes(t, [echo]);
  const send = (type: string, text: string) =>
    web.fetch('/v1/forms', { method: 'POST', headers: { 'content-type': type }, body: text });
  assert.equal((await send('application/json', '{"name":"x"}')).status, 200);
  assert.equal((await send('application/x-www-form-urlencoded; charset=UTF-8', 'name=x')).status, 200);
  const other = await send('text/plain', 'name=x');
  assert.equal(other.status, 415);
  assert.equal(other.headers.get('accept-post'), 'application/x-www-form-urlencoded, application/json');
  assert.equal((await send('application/json', `{"name":"${'x'.repeat(1_100)}"}`)).status, 413);
});

test('a route with its own form of errors has every error in it, those of the frame included', async (t) => {
  const web = await serveRoutes(t, [ownErrors]);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const cases: readonly [RequestInit, number, string][] = [
    [form('name=x'), 500, 'INTERNAL_ERROR'],
    [form('name=x&name=y'), 400, 'INVALID_BODY'],
    [json, 400, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ method: 'GET' }, 405, 'METHOD_NOT_ALLOWED'],
    [form('a'.repeat(1_100_000)), 413, 'PAYLOAD_TOO_LARGE'],
  ];
  for (const [init, status, failed] of cases) {
    const headers = { ...init.headers, 'x-test': 'yes' };
    const answer = await web.fetch('/v1/plain', { ...init, headers });
    const written = (await answer.json()) as { failed: string; header: string };
    assert.deepEqual([answer.status, written.failed, written.header], [status, failed, 'yes']);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(answer.headers.get('allow'), status === 405 ? 'POST, OPTIONS' : null);
  }
});

interface Documented {
  readonly requestBody: { readonly content: object };
  readonly responses: Readonly<Record<string, { readonly content: object }>>;
}

test('the OpenAPI document tells the types of body and the own form of errors', async (t) => {
  const web = await serveRoutes(t, [echo, ownErrors]);
  const { paths } = web.server.openapi as { paths: Readonly<Record<string, { readonly post: Documented }>> };
  assert.deepEqual(Object.keys(paths['/v1/forms']?.post.requestBody.content ?? {}), [...both]);
  const responses = paths['/v1/plain']?.post.responses ?? {};
  assert.deepEqual(Object.keys(responses), ['200', '400', '405']);
  assert.deepEqual(Object.keys(responses['405']?.content ?? {}), ['application/json']);
});

test('a route may read its address itself, and answer whatever Accept says', async (t) => {
  const web = await serveRoutes(t, [free]);
  const url = '/v1/free?a=1&a=2&b';
  const answer = await web.fetch(url, { headers: { accept: 'image/png' } });
  assert.deepEqual(await answer.json(), { url, mediaType: 'application/json' });
});

test('pages that look for metadata may read the 404 where there is none', async (t) => {
  const web = await serveRoutes(t, [echo]);
  const path = '/.well-known/nothing';
  const preflight = await web.fetch(path, { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
  assert.deepEqual(
    [preflight.status, preflight.headers.get('access-control-allow-methods')],
    [204, 'GET, HEAD, OPTIONS'],
  );
  const answer = await web.fetch(path);
  assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [404, '*']);
});
