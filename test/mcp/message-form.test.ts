// Tests of the form of messages to the MCP endpoint: addresses, Accept, what may be left out, and what is refused in our own words.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { startEndpoint } from '../support/mcp/endpoint.ts';
import { ERAS, envelope, type RpcResponse, readResponse, rpcRequest, send } from '../support/mcp/messages.ts';

const { service, key } = await startEndpoint({ after });
const { clock, url } = service;
const credential = key;

beforeEach(() => clock.advance(60_000));

/** Sends a body as it is, with headers of the older era. */
async function post(body: unknown, { path = '/mcp', headers = {} } = {}) {
  const { headers: common } = rpcRequest('ping', {}, { era: 'initialize', credential });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readResponse(
    await fetch(`${url}${path}`, { method: 'POST', body: text, headers: { ...common, ...headers } }),
  );
}

/** Tools of a list; none of another answer. */
const toolsOf = ({ result }: RpcResponse) => (result?.tools ?? []) as readonly unknown[];

const message = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 7, method, params });

test('a slash at the end and a query, which gateways add, change nothing', async () => {
  for (const path of ['/mcp', '/mcp/', '/mcp?profile=a&api_key=b', '/mcp/?x']) {
    const listed = await post(message('tools/list'), { path });
    assert.equal(listed.status, 200, listed.text);
    assert.equal(toolsOf(listed).length, 17, path);
    const refused = await fetch(`${url}${path}`, { method: 'POST' });
    assert.equal(refused.status, 401, path);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    assert.ok(
      challenge.includes(`resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`),
      path,
    );
  }
});

test('a browser that opens the address is led to the page about it; other clients are not', async () => {
  const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const path of ['/mcp', '/mcp/']) {
    const led = await fetch(`${url}${path}`, { headers: { accept: html }, redirect: 'manual' });
    assert.deepEqual([led.status, led.headers.get('location')], [303, `${url}/docs/mcp`]);
    for (const accept of ['text/event-stream', '*/*', 'text/html;q=0, */*']) {
      const headers = { accept, authorization: `Bearer ${key}` };
      const refused = await fetch(`${url}${path}`, { headers, redirect: 'manual' });
      assert.equal(refused.status, 405, accept);
      assert.equal((await fetch(`${url}${path}`, { headers: { accept } })).status, 401, accept);
    }
  }
});

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

test('Accept is read by the rules of HTTP, and the answer is in a form that it takes', async () => {
  const accepts: readonly (readonly [accept: string, types: readonly string[]])[] = [
    ['*/*', [JSON_TYPE, STREAM_TYPE]],
    ['', [JSON_TYPE, STREAM_TYPE]],
    ['Application/JSON, Text/Event-Stream', [JSON_TYPE, STREAM_TYPE]],
    ['application/json', [JSON_TYPE]],
    ['application/*;q=0.5', [JSON_TYPE]],
    ['*/*, text/event-stream;q=0', [JSON_TYPE]],
    ['text/event-stream', [STREAM_TYPE]],
    ['text/*, application/json;q=0', [STREAM_TYPE]],
    ['text/html', []],
    ['application/json;q=0', []],
  ];
  for (const era of ERAS)
    for (const [accept, types] of accepts) {
      const answer = await send(service, 'tools/list', {}, { era, credential, headers: { accept } });
      const what = `${era}: ${accept}`;
      if (types.length === 0) {
        assert.deepEqual([answer.status, answer.code], [406, 'NOT_ACCEPTABLE'], what);
        continue;
      }
      assert.equal(answer.status, 200, `${what}: ${answer.text}`);
      assert.ok(types.includes(answer.headers.get('content-type')?.split(';')[0] ?? ''), what);
      assert.equal(toolsOf(answer).length, 17, what);
    }
});

test('updates need a client that takes a stream', async () => {
  const params = { notifications: { resourceSubscriptions: [] } };
  const options = { credential, headers: { accept: JSON_TYPE } };
  const answer = await send(service, 'subscriptions/listen', params, options);
  assert.deepEqual([answer.status, answer.code], [406, 'NOT_ACCEPTABLE']);
});

test('null and empty cursors ask for the first page of a list, and there is no other', async () => {
  for (const era of ERAS)
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      for (const cursor of [null, '', undefined])
        assert.ok((await send(service, method, { cursor }, { era, credential })).result, method);
      const { error } = await send(service, method, { cursor: 'x' }, { era, credential });
      assert.equal(error?.code, -32_602);
      assert.match(error?.message ?? '', /cursor/);
    }
});

test('params, arguments and _meta that are null are left out', async () => {
  assert.ok((await post(message('tools/list', null))).result);
  assert.ok((await post(message('tools/call', { name: 'get_usage', arguments: null, _meta: null }))).result);
  assert.ok((await post(message('prompts/list', { _meta: { progressToken: null } }))).result);
});

/** Words of validators of schemas, which say nothing to a client. */
const VALIDATOR = /invalid_type|invalid_union|expected|received|Invalid input|unrecognized|zod/i;

test('what is wrong with a message is said in our own words, with the name of the member', async () => {
  const modern = { ...envelope() };
  const broken: readonly (readonly [body: unknown, code: number, name: RegExp])[] = [
    [{ id: 1, method: 'ping' }, -32_600, /jsonrpc/],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, -32_600, /jsonrpc/],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, -32_600, /id/],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, -32_600, /id/],
    [{ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, -32_600, /id/],
    [{ jsonrpc: '2.0', id: 1, method: 7 }, -32_600, /method/],
    [{ jsonrpc: '2.0', id: 1, method: 'x'.repeat(300) }, -32_600, /method/],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: 'x' }, -32_600, /params/],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, -32_600, /params/],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', extra: 1 }, -32_600, /members/],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', result: {} }, -32_600, /response/],
    [message('initialize', { protocolVersion: 5 }), -32_602, /protocolVersion/],
    [message('tools/call', { name: { a: 1 } }), -32_602, /name/],
    [message('tools/call', {}), -32_602, /name/],
    [message('prompts/get', { name: 'find_home', arguments: [1] }), -32_602, /arguments/],
    [message('prompts/get', { name: 'find_home', arguments: { area: {} } }), -32_602, /arguments\.area/],
    [message('resources/read', { uri: 1 }), -32_602, /uri/],
    [message('completion/complete', { argument: { name: 'id', value: 'x' } }), -32_602, /ref/],
    [message('completion/complete', { ref: { type: 'x' } }), -32_602, /ref\.type/],
    [message('completion/complete', { ref: { type: 'ref/prompt', name: 'find_home' } }), -32_602, /argument/],
    [message('tools/list', { _meta: 1 }), -32_602, /_meta/],
    [message('tools/list', { _meta: { progressToken: {} } }), -32_602, /progressToken/],
    [
      message('tools/list', { _meta: { ...modern, 'io.modelcontextprotocol/clientInfo': 'x' } }),
      -32_602,
      /clientInfo/,
    ],
    [message('subscriptions/listen', { notifications: { resourceSubscriptions: 'x' } }), -32_602, /URIs/],
  ];
  for (const [body, code, name] of broken) {
    const { status, error, text } = await post(body);
    const what = `${JSON.stringify(body).slice(0, 100)}: ${text}`;
    assert.equal(status, 400, what);
    assert.equal(error?.code, code, what);
    assert.match(error?.message ?? '', name, what);
    assert.doesNotMatch(text, VALIDATOR, what);
    assert.ok(text.length < 1_500, what);
  }
});

test('arguments of a tool that are no object are a result that says so', async () => {
  const { result } = await post(message('tools/call', { name: 'get_usage', arguments: [1] }));
  assert.equal(result?.isError, true);
  assert.match(result?.content?.[0]?.text ?? '', /arguments must be a JSON object/);
});

const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 0]));

test('a message has at most 64 kB, 2,000 members, and short names, however it is made', async () => {
  const initialize = (capabilities: object) =>
    message('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x' } });
  const large = await post(initialize(members(90_000)));
  assert.deepEqual([large.status, large.code], [413, 'PAYLOAD_TOO_LARGE']);
  for (const many of [members(2_000), { list: Array(2_000).fill(0) }, { ['x'.repeat(1_025)]: 1 }]) {
    const refused = await post(initialize(many));
    assert.deepEqual([refused.status, refused.error?.code], [400, -32_600]);
    assert.ok(refused.text.length < 1_500);
  }
  const taken = await post(initialize(members(1_900)));
  assert.equal(taken.result?.protocolVersion, '2025-11-25', taken.text);
  const padded = JSON.stringify(message('ping', { _meta: { pad: 'x'.repeat(65_000) } }));
  assert.ok((await post(padded)).result);
});
