// Proof that idle connections lock nobody out, and that a newcomer for whom there is no room learns so.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isReady, serve } from '../support/chaos/service.ts';
import { until } from '../support/check/until.ts';
import { atEnd, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { parseRaw, readToEnd, serveRoutes, testRoute } from '../support/service/http-server.ts';
import { quietPort } from '../support/service/ports.ts';

const ASKING = 'GET /quick HTTP/1.1\r\nHost: x\r\n\r\n';

/** A connection from an address of this machine. */
async function open(t: TestContext, port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  atEnd(t, async () => void socket.destroy());
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', () => resolve());
  });
  return socket;
}

/** Asks on a connection and keeps it; gives the status line. */
async function ask(socket: Socket, text = ASKING): Promise<string> {
  socket.write(text);
  return new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString().split('\r\n', 1)[0] ?? ''));
    socket.once('close', () => resolve('closed'));
  });
}

/** A server with a quick route and one that answers when it is let. */
async function start(t: TestContext, trustedProxies: readonly string[] = []) {
  const { promise: let_, resolve: letGo } = Promise.withResolvers<void>();
  const routes = [
    testRoute({ path: '/quick' }),
    testRoute({
      path: '/slow',
      async handle() {
        await let_;
        return { json: {} };
      },
    }),
  ];
  const limits = { connections: 4, connectionsPerAddress: 2 };
  const web = await serveRoutes(t, routes, { limits, trustedProxies });
  const from = (last: number) => open(t, web.port, `127.0.0.${last}`);
  const idle = async (last: number): Promise<Socket> => {
    const socket = await from(last);
    assert.equal(await ask(socket), 'HTTP/1.1 200 OK');
    web.clock.advance(100);
    return socket;
  };
  const busy = async (last: number): Promise<Socket> => {
    const [socket, before] = [await from(last), web.steps.length];
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the request is under way', () => web.steps.length >= before + 3);
    return socket;
  };
  return { ...web, from, idle, busy, letGo };
}

test('an address that opens more than it may have closes the longest idle of its own, and no one else’s', async (t) => {
  const { idle, measure } = await start(t);
  const [first, second, other] = [await idle(2), await idle(2), await idle(3)];
  assert.equal(await ask(first), 'HTTP/1.1 200 OK');
  await idle(2);
  await until('the longest idle is closed', () => second.destroyed);
  assert.equal(await ask(first), 'HTTP/1.1 200 OK', 'the one that was used last stays open');
  assert.equal(await ask(other), 'HTTP/1.1 200 OK');
  assert.equal(await measure('freehold_http_connections'), 3);
  assert.equal(await measure('freehold_http_connections_evicted_total'), 1);
});

test('where all places are taken, the longest idle makes room, be it one that never sent a request', async (t) => {
  const { from, idle } = await start(t);
  const silent = await from(2);
  const others = [await idle(3), await idle(4), await idle(5)];
  await idle(6);
  await until('the silent one is closed', () => silent.destroyed);
  for (const other of others) assert.equal(await ask(other), 'HTTP/1.1 200 OK');
});

test('a request under way is never cut: the newcomer gets 503 and is served once there is room', async (t) => {
  const { busy, clock, from, idle, letGo, measure } = await start(t);
  const working = [await busy(2), await busy(2), await busy(3), await busy(4)];
  for (const last of [2, 5]) {
    const newcomer = await from(last);
    const answered = readToEnd(newcomer);
    newcomer.write(ASKING);
    const { status, headers, body } = parseRaw(await answered);
    assert.deepEqual([status, JSON.parse(body).code], [503, 'OVERLOADED']);
    assert.equal(headers.get('retry-after'), '1');
    assert.equal(headers.get('connection'), 'close');
  }
  assert.equal(await measure('freehold_http_connections_refused_total'), 2);
  const answers = working.map(
    (socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data)))),
  );
  letGo();
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1.1 200 OK/);
  clock.advance(100);
  await idle(5);
});

test('who has only just come is not taken for idle: of more that come at once, those who came first are answered', async (t) => {
  const { from, measure } = await start(t);
  const first = [await from(2), await from(2)];
  await until('two are connected', async () => (await measure('freehold_http_connections')) === 2);
  const third = await from(2);
  const settled = async () =>
    ((await measure('freehold_http_connections_refused_total')) ?? 0) +
    ((await measure('freehold_http_connections_evicted_total')) ?? 0);
  await until('the third is judged', async () => (await settled()) > 0);
  for (const socket of first) assert.equal(await ask(socket), 'HTTP/1.1 200 OK');
  assert.equal(await ask(third), 'HTTP/1.1 503 Service Unavailable');
});

test('a newcomer without room that says nothing is cut after three seconds', async (t) => {
  const { busy, from, clock } = await start(t);
  for (const last of [2, 2, 3, 4]) await busy(last);
  const newcomer = await from(5);
  await until('the newcomer is timed', () => clock.waiting > 0);
  const closed = new Promise((resolve) => newcomer.once('close', resolve));
  clock.advance(3_000);
  await closed;
});

test('a trusted proxy is bounded in all only, and makes room after clients have', async (t) => {
  const { idle } = await start(t, ['127.0.0.9']);
  const proxies = [await idle(9), await idle(9), await idle(9)];
  const client = await idle(2);
  await idle(3);
  await until('the client is closed', () => client.destroyed);
  for (const proxy of proxies) assert.equal(await ask(proxy), 'HTTP/1.1 200 OK');
});

test('with 256 descriptors, 400 connections that one address keeps idle lock nobody out', async (t) => {
  const { url: databaseUrl } = await testDatabase(t);
  const [folder, port] = [await temporaryFolder(t, 'connections'), await quietPort()];
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' };
  serve(t, { dataDirectory: folder, port, environment, descriptors: 256 });
  await until('the service is ready', () => isReady(`http://127.0.0.1:${port}`));
  const request = 'GET /v1/areas?limit=1 HTTP/1.1\r\nHost: x\r\n\r\n';
  for (let number = 0; number < 400; number++) await open(t, port, '127.0.0.2');
  for (const address of ['127.0.0.3', '127.0.0.2']) {
    const newcomer = await open(t, port, address);
    const late = AbortSignal.timeout(3_000);
    const missed = new Promise<string>((resolve) => {
      late.addEventListener('abort', () => resolve('nothing within three seconds'));
    });
    assert.match(await Promise.race([ask(newcomer, request), missed]), /^HTTP\/1.1 (?:200|503) /);
  }
});
