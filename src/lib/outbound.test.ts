// Proves that HTTP which goes out is bounded, says how it failed, and stays out of private networks.

import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type LookupFunction,
  type Socket,
} from 'node:net';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { manualClock } from '../../test/support/service/clock.ts';
import { isPublicAddress } from './ip-address.ts';
import { createOutbound, type OutboundOptions, type OutboundRequest } from './outbound.ts';
import { OutboundFailure } from './outbound-failure.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers every connection with the given bytes. */
async function serveBytes(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(t: TestContext, options: Partial<OutboundOptions> = {}) {
  const clock = manualClock();
  const outbound = createOutbound({ clock, ...options });
  t.after(() => outbound.close());
  const send = (url: string, more: Partial<OutboundRequest> = {}) =>
    outbound.send({ url, deadlineMs: 8_000, maxBytes: 1_000, ...more });
  return { clock, send };
}

async function kindOf(sent: Promise<unknown>): Promise<string> {
  try {
    await sent;
  } catch (error) {
    assert.ok(error instanceof OutboundFailure, String(error));
    return error.kind;
  }
  return 'answered';
}

const resolveTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

test('an answer arrives whole, with its status and headers, and leaves no timer', async (t) => {
  const seen: unknown[] = [];
  const url = await serve(t, (request, response) => {
    seen.push(request.method, request.headers['x-a']);
    request.pipe(response.writeHead(201, { 'x-b': 'c' }));
  });
  const { clock, send } = open(t);
  const answer = await send(url, { method: 'POST', headers: { 'x-a': '1' }, body: 'hello' });
  assert.deepEqual([answer.status, answer.headers['x-b'], String(answer.body)], [201, 'c', 'hello']);
  assert.deepEqual(seen, ['POST', '1']);
  assert.equal(clock.waiting, 0);
});

test('a redirect is an answer, not followed', async (t) => {
  let requests = 0;
  const url = await serve(t, (_request, response) => {
    requests += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  assert.equal((await open(t).send(url)).status, 302);
  assert.equal(requests, 1);
});

test('compressed answers are undone, and the cap counts what comes out', async (t) => {
  const url = await serve(t, (request, response) => {
    const compress = request.url === '/br' ? brotliCompressSync : gzipSync;
    const body = request.url === '/bomb' ? Buffer.alloc(50_000_000) : Buffer.from('hello');
    response
      .writeHead(200, { 'content-encoding': request.url === '/br' ? 'br' : 'gzip' })
      .end(compress(body));
  });
  const { send } = open(t);
  assert.equal(String((await send(`${url}/gzip`)).body), 'hello');
  assert.equal(String((await send(`${url}/br`)).body), 'hello');
  assert.equal(await kindOf(send(`${url}/bomb`)), 'too_large');
});

test('a body over the cap is cut, at the very byte', async (t) => {
  const url = await serve(
    t,
    (request, response) => void response.end('x'.repeat(Number(request.url?.slice(1)))),
  );
  const { send } = open(t);
  assert.equal((await send(`${url}/1000`)).body.length, 1_000);
  assert.equal(await kindOf(send(`${url}/1001`)), 'too_large');
});

test('an answer that does not come, or drips, ends at the deadline', async (t) => {
  const arrived: (() => void)[] = [];
  const url = await serve(t, (request, response) => {
    if (request.url === '/drip') response.writeHead(200).write('x');
    arrived.shift()?.();
  });
  for (const path of ['/silent', '/drip']) {
    const { clock, send } = open(t);
    const reached = new Promise<void>((resolve) => arrived.push(resolve));
    const kind = kindOf(send(url + path));
    await reached;
    clock.advance(7_999);
    clock.advance(1);
    assert.equal(await kind, 'timeout');
    assert.equal(clock.waiting, 0);
  }
});

test('a connection that does not come about ends after 2 s', async (t) => {
  let asked = () => {};
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const { clock, send } = open(t, { lookup: () => asked() });
  const kind = kindOf(send('http://blackhole.example/'));
  await reached;
  clock.advance(2_000);
  assert.equal(await kind, 'timeout');
});

test('a caller who leaves ends the request at once', async (t) => {
  const arrival = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const url = await serve(t, (_request, response) => {
    response.on('close', () => closed.resolve());
    arrival.resolve();
  });
  const { clock, send } = open(t);
  const controller = new AbortController();
  const kind = kindOf(send(url, { signal: controller.signal }));
  await arrival.promise;
  controller.abort();
  assert.equal(await kind, 'aborted');
  await closed.promise;
  assert.equal(clock.waiting, 0);
  assert.equal(await kindOf(send(url, { signal: AbortSignal.abort() })), 'aborted');
});

test('nobody listening is refused; a name without address is unresolved', async (t) => {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  assert.equal(await kindOf(open(t).send(`http://127.0.0.1:${port}`)), 'refused');
  const error = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  const lookup: LookupFunction = (_hostname, _options, callback) => callback(error, []);
  assert.equal(await kindOf(open(t, { lookup }).send('http://nowhere.example')), 'unresolved');
});

const broken = [
  ['reset at once', 'reset', (socket: Socket) => socket.resetAndDestroy()],
  ['closed without an answer', 'reset', (socket: Socket) => socket.end()],
  ['not HTTP', 'malformed', (socket: Socket) => socket.end('hello\r\n\r\n')],
  ['cut short', 'reset', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel')],
  [
    'not the coding it claims',
    'malformed',
    (socket: Socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello'),
  ],
  [
    'in a coding nobody asked for',
    'malformed',
    (socket: Socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 5\r\n\r\nhello'),
  ],
  [
    'headers without end',
    'malformed',
    (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
  ],
] as const;

for (const [what, kind, answer] of broken) {
  test(`an answer that is ${what} fails as ${kind}`, async (t) => {
    const url = await serveBytes(t, answer);
    assert.equal(await kindOf(open(t).send(url)), kind);
  });
}

const inward = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://0/',

  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fd00::1]/',

  'http://169.254.169.254/latest/meta-data',
  'http://10.0.0.1:8080/',
  'https://192.168.1.1/',
  'http://１２７.0.0.1/',
];
for (const url of inward) {
  test(`with the guard, ${url} is not even tried`, async (t) => {
    const lookup: LookupFunction = () => assert.fail('a resolver was asked');
    assert.equal(
      await kindOf(open(t, { allowAddress: isPublicAddress, lookup }).send(url)),
      'forbidden_address',
    );
  });
}

test('with the guard, one inward address among the resolved ones refuses them all', async (t) => {
  for (const addresses of [
    ['127.0.0.1'],
    ['93.184.216.34', '127.0.0.1'],
    ['::1', '93.184.216.34'],
    ['::ffff:10.0.0.1'],
    [],
  ]) {
    const { send } = open(t, { allowAddress: isPublicAddress, lookup: resolveTo(...addresses) });
    assert.equal(await kindOf(send('http://rebind.example/')), 'forbidden_address', addresses.join());
  }
  const { send } = open(t, { allowAddress: isPublicAddress });
  assert.equal(await kindOf(send('http://localhost/')), 'forbidden_address');
});

test('with the guard, the connection goes to the address that was checked', async (t) => {
  const url = await serve(t, (request, response) => void response.end(request.headers.host));
  const port = new URL(url).port;
  let asked = 0;
  const lookup: LookupFunction = (hostname, options, callback) => {
    asked += 1;
    // A second question would be answered with an address where nobody listens.
    resolveTo(asked === 1 ? '127.0.0.1' : '127.0.0.2')(hostname, options, callback);
  };
  const { send } = open(t, { allowAddress: (address) => address === '127.0.0.1', lookup, connections: 1 });
  assert.equal(String((await send(`http://hook.example:${port}/`)).body), `hook.example:${port}`);
  assert.equal(String((await send(`http://hook.example:${port}/`)).body), `hook.example:${port}`);
  assert.equal(asked, 1);
});

test('only http and https, and no credentials in the address', async (t) => {
  const { send } = open(t);
  for (const url of [
    'ftp://example.com/',
    'file:///etc/passwd',
    'nonsense',
    'http://user:secret@example.com/',
    'http://',
  ])
    assert.equal(await kindOf(send(url)), 'invalid_url', url);
});
