// Proof that stopping loses nothing that was under way and lets nothing hold it up.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { ServerSentEvent } from '../../src/http/output/reply.ts';
import { Problem } from '../../src/lib/problem.ts';
import { until } from '../support/check/until.ts';
import { parseRaw, readToEnd, serveRoutes, testRoute, type Web } from '../support/service/http-server.ts';

function gated() {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const handle = async () => {
    begun += 1;
    await gate.promise;
    return { json: { finished: true } };
  };
  async function* generate(): AsyncGenerator<ServerSentEvent> {
    begun += 1;
    yield { id: '1', event: 'cached', data: {} };
    await gate.promise;
    yield { id: '2', event: 'done', data: {} };
  }
  const routes = [
    testRoute({ path: '/v1/slow', handle }),
    testRoute({
      path: '/v1/s',
      accepts: ['text/event-stream'],
      head: false,
      handle: () => ({ events: generate() }),
    }),
    testRoute({ path: '/v1/fast' }),
  ];
  return { routes, open: () => gate.resolve(), begun: () => begun };
}

test('a server that leaves is unready, and answers each request while its client is asked to go', async (t) => {
  const web = await serveRoutes(t, gated().routes);
  const connectionOf = async () => (await web.fetch('/v1/fast')).headers.get('connection');
  assert.notEqual(await connectionOf(), 'close');
  web.server.leave();
  const ready = await web.fetch('/readyz');
  assert.deepEqual([ready.status, await ready.json()], [503, { status: 'draining' }]);
  assert.equal(await connectionOf(), 'close');
  assert.equal((await web.fetch('/v1/fast')).status, 200);
  assert.equal((await web.fetch('/livez')).status, 200);
  await web.server.drain();
  await assert.rejects(web.fetch('/livez'));
});

test('requests and streams under way finish; new ones get 503 meanwhile', async (t) => {
  const work = gated();
  const web = await serveRoutes(t, work.routes);
  const [slow, stream] = [web.fetch('/v1/slow'), web.raw('GET /v1/s HTTP/1.1\r\nHost: x\r\n\r\n')];
  await until('both requests have begun', () => work.begun() === 2);
  const drained = web.server.drain();
  const refused = await web.fetch('/v1/fast');
  assert.equal(refused.status, 503);
  assert.equal(((await refused.json()) as { code: string }).code, 'SHUTTING_DOWN');
  assert.equal(refused.headers.get('connection'), 'close');
  assert.equal(refused.headers.get('retry-after'), '1');
  const ready = await web.fetch('/readyz');
  assert.equal(ready.status, 503);
  assert.deepEqual(await ready.json(), { status: 'draining' });
  assert.equal((await web.fetch('/livez')).status, 200);
  work.open();
  assert.deepEqual(await (await slow).json(), { finished: true });
  assert.match(await stream, /event: done[\s\S]*0\r\n\r\n$/);
  await drained;
  await assert.rejects(web.fetch('/livez'));
  assert.equal(web.clock.waiting, 0);
});

/** A connection on which one request was answered. */
async function keptConnection(web: Web): Promise<Socket> {
  const socket = await web.open();
  socket.write('GET /v1/fast HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

test('idle connections are closed at once where nothing is to be waited for', async (t) => {
  const web = await serveRoutes(t, gated().routes);
  const socket = await keptConnection(web);
  const closed = readToEnd(socket);
  await web.server.drain();
  await closed;
});

test('a reused connection learns of it with its next answer, and cut only once there was time for one', async (t) => {
  const web = await serveRoutes(t, gated().routes, { limits: { lingerMs: 500 } });
  const [used, silent] = [await keptConnection(web), await keptConnection(web)];
  const drained = web.server.drain();
  await until('the server waits for its deadline', () => web.clock.waiting === 1);
  const [refused, cut] = [readToEnd(used), readToEnd(silent)];
  used.write('GET /v1/fast HTTP/1.1\r\nHost: x\r\n\r\n');
  const answer = parseRaw(await refused);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('connection'), 'close');
  assert.equal(silent.readyState, 'open');
  web.clock.advance(500);
  assert.equal(await cut, '');
  await drained;
});

test('without a connection nothing is waited for', async (t) => {
  const web = await serveRoutes(t, gated().routes, { limits: { lingerMs: 500 } });
  await web.server.drain();
  assert.equal(web.clock.waiting, 0);
});

test('a request that never ends is cut after 15 s', async (t) => {
  const work = gated();
  const web = await serveRoutes(t, work.routes);
  const socket = await web.open();
  socket.write('GET /v1/slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the request has begun', () => work.begun() === 1);
  const drained = web.server.drain();
  web.clock.advance(14_000);
  await until('the server waits for its deadline', () => web.clock.waiting === 1);
  web.clock.advance(1_000);
  await drained;
  assert.equal(await readToEnd(socket), '');
  work.open();
});

test('an answer given while draining tells the client to leave the connection', async (t) => {
  const work = gated();
  const web = await serveRoutes(t, work.routes);
  const socket = await web.open();
  const text = readToEnd(socket);
  socket.write('GET /v1/slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the request has begun', () => work.begun() === 1);
  const drained = web.server.drain();
  work.open();
  const answer = parseRaw(await text);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('connection'), 'close');
  await drained;
});

test('a suspended server refuses everything but health, and goes on listening until it is stopped', async (t) => {
  const work = gated();
  const web = await serveRoutes(t, work.routes);
  const slow = web.fetch('/v1/slow');
  await until('the request has begun', () => work.begun() === 1);
  const refusal = () => new Problem('MAINTENANCE', 'Later.', { headers: { 'retry-after': '15' } });
  const suspended = web.server.suspend(refusal);
  const refused = await web.fetch('/v1/fast');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '15']);
  assert.equal(((await refused.json()) as { code: string }).code, 'MAINTENANCE');
  work.open();
  assert.deepEqual(await (await slow).json(), { finished: true });
  await suspended;
  assert.equal((await web.fetch('/livez')).status, 200);
  const ready = await web.fetch('/readyz?verbose');
  assert.deepEqual([ready.status, await ready.json()], [503, { status: 'maintenance' }]);
  assert.equal((await web.fetch('/v1/fast')).status, 503);
  await web.server.drain();
  await assert.rejects(web.fetch('/livez'));
});
