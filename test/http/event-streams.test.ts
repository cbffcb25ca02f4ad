// Proof that event streams are well formed, bounded, and leave nothing behind when clients do.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { RequestContext } from '../../src/http/frame/route.ts';
import type { ServerSentEvent } from '../../src/http/output/reply.ts';
import { Problem } from '../../src/lib/problem.ts';
import { until } from '../support/check/until.ts';
import {
  parseRaw,
  problemOf,
  readToEnd,
  serveRoutes,
  testRoute,
  type Web,
} from '../support/service/http-server.ts';

const LARGE = 'x'.repeat(256 * 1024);

type Generate = (call: RequestContext<string>) => AsyncGenerator<ServerSentEvent>;

function serveStream(t: TestContext, generate: Generate, deadlineMs?: number | null): Promise<Web> {
  const deadline = deadlineMs === undefined ? {} : { deadlineMs };
  const handle = (call: unknown) => ({ events: generate(call as RequestContext<string>), ...deadline });
  return serveRoutes(t, [testRoute({ path: '/v1/s', accepts: ['text/event-stream'], head: false, handle })]);
}

function event(id: string, name: string, data: unknown = {}): ServerSentEvent {
  return { id, event: name, data };
}

/** Waits as a fetch from upstream would: until the caller leaves. */
function abortableDatabase(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function request(web: Web): Promise<Socket> {
  const socket = await web.open();
  socket.write('GET /v1/s HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

async function settled(web: Web): Promise<void> {
  await until('no request is under way', async () => (await web.measure('freehold_http_active')) === 0);
}

test('a stream is one retry and then the events, each with id, event and one line of data', async (t) => {
  const web = await serveStream(t, async function* () {
    yield event('1.cached', 'cached', { text: 'two\nlines\r\u2028', price: 1 });
    yield event('1.done', 'done');
  });
  const text = await (await web.fetch('/v1/s')).text();
  const line = 'data: {"text":"two\\nlines\\r\u2028","price":1}';
  const expected = `retry: 60000\n\nid: 1.cached\nevent: cached\n${line}\n\nid: 1.done\nevent: done\ndata: {}\n\n`;
  assert.equal(text, expected);
  const messages: EventSourceMessage[] = [];
  const retries: number[] = [];
  createParser({ onEvent: (m) => messages.push(m), onRetry: (r) => retries.push(r) }).feed(text);
  assert.deepEqual(retries, [60_000]);
  assert.deepEqual(
    messages.map((m) => [m.id, m.event]),
    [
      ['1.cached', 'cached'],
      ['1.done', 'done'],
    ],
  );
});

test('a stream carries its own headers and those of every answer', async (t) => {
  const web = await serveStream(t, async function* () {
    yield event('1', 'done');
  });
  const { headers } = await web.fetch('/v1/s', { headers: { accept: 'text/event-stream' } });
  assert.equal(headers.get('content-type'), 'text/event-stream');
  assert.equal(headers.get('cache-control'), 'no-store, no-transform');
  assert.equal(headers.get('x-accel-buffering'), 'no');
  assert.equal(headers.get('ratelimit'), '"minute";r=9;t=6');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.equal(headers.get('vary'), 'Authorization');
  assert.match(headers.get('x-request-id') ?? '', /^req_/);
  assert.equal(headers.get('content-length'), null);
});

test('a stream is requested by its type, by a wildcard or by nothing', async (t) => {
  const web = await serveStream(t, async function* () {
    yield event('1', 'done');
  });
  for (const accept of ['text/event-stream', '*/*', 'text/*']) {
    assert.equal((await web.fetch('/v1/s', { headers: { accept } })).status, 200, accept);
  }
  assert.match(await web.raw('GET /v1/s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /^HTTP\/1.1 200/);
  assert.equal((await web.fetch('/v1/s', { headers: { accept: 'application/json' } })).status, 406);
});

test('an error before the first event is a plain problem document', async (t) => {
  const web = await serveStream(t, async function* () {
    yield* [];
    throw new Problem('LISTING_NOT_FOUND', 'No such listing.');
  });
  const response = await web.fetch('/v1/s');
  assert.equal(response.status, 404);
  assert.equal((await problemOf(response)).code, 'LISTING_NOT_FOUND');
  assert.equal(web.clock.waiting, 0);
});

test('an error after the first event cuts the connection, so that nobody takes the stream for complete', async (t) => {
  const web = await serveStream(t, async function* () {
    yield event('1', 'cached');
    throw new Error('defect in the generator');
  });
  const text = await web.raw('GET /v1/s HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.ok(!text.endsWith('0\r\n\r\n'));
  await settled(web);
  assert.match(web.log(), /defect in the generator/);
  assert.equal(web.clock.waiting, 0);
});

test('silence is filled with a comment every 5 s, and only silence', async (t) => {
  const gate = Promise.withResolvers<void>();
  const web = await serveStream(t, async function* () {
    yield event('1', 'cached');
    await gate.promise;
    yield event('2', 'done');
  });
  const socket = await request(web);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await until('the first event arrives', () => text.includes('cached'));
  web.clock.advance(4_999);
  assert.ok(!text.includes('\n:\n'));
  web.clock.advance(1);
  await until('a comment arrives', () => text.includes('\r\n:\n\n\r\n'));
  web.clock.advance(4_500);
  gate.resolve();
  await until('the last event arrives', () => text.includes('event: done'));
  assert.equal(text.split(':\n\n\r\n').length, 2);
  socket.destroy();
});

test('a minute of silence has twelve comments, the last as regular as the first', async (t) => {
  const generate: Generate = async function* ({ signal }) {
    yield event('1', 'cached');
    await abortableDatabase(signal);
  };
  const web = await serveStream(t, generate, null);
  const socket = await request(web);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await until('the first event arrives', () => text.includes('cached'));
  for (let comments = 1; comments <= 12; comments += 1) {
    web.clock.advance(5_000);
    await until(`comment ${comments} arrives`, () => text.split('\r\n:\n\n\r\n').length - 1 === comments);
  }
  socket.destroy();
  await settled(web);
});

test('a slow first event does not keep the client without headers for more than 5 s', async (t) => {
  const web = await serveStream(t, async function* ({ signal }) {
    await abortableDatabase(signal);
    yield event('1', 'done');
  });
  const socket = await request(web);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await until('deadline and heartbeat are set', () => web.clock.waiting === 2);
  web.clock.advance(5_000);
  await until('the headers arrive', () => text.includes('retry: 60000\n\n:\n\n'));
  socket.destroy();
  await settled(web);
});

test('a client that leaves while the stream waits aborts the signal and ends the generator', async (t) => {
  let ended = 0;
  const web = await serveStream(t, async function* ({ signal }) {
    try {
      yield event('1', 'cached');
      await abortableDatabase(signal);
      yield event('2', 'never');
    } finally {
      ended += 1;
    }
  });
  for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const before = ended;
    const socket = await request(web);
    await new Promise((resolve) => socket.once('data', resolve));
    socket[leave]();
    await until('the generator ends', () => ended === before + 1);
  }
  await settled(web);
  assert.equal(web.clock.waiting, 0);
});

test('a client that leaves ends its stream even while the generator waits for what ignores the signal', async (t) => {
  const generate: Generate = async function* () {
    yield event('1', 'cached');
    await new Promise(() => {});
  };
  const web = await serveStream(t, generate, null);
  const socket = await request(web);
  await new Promise((resolve) => socket.once('data', resolve));
  assert.equal(await web.measure('freehold_http_streams'), 1);
  socket.destroy();
  await settled(web);
  assert.equal(await web.measure('freehold_http_streams'), 0);
  assert.equal(web.clock.waiting, 0);
});

test('100 clients that vanish in the middle of large writes leave no generator, timer or request behind', async (t) => {
  let begun = 0;
  let ended = 0;
  const web = await serveStream(t, async function* () {
    begun += 1;
    try {
      for (let count = 0; ; count += 1) yield event(String(count), 'cached', LARGE);
    } finally {
      ended += 1;
    }
  });
  for (let round = 0; round < 4; round += 1) {
    const sockets = await Promise.all(Array.from({ length: 25 }, () => request(web)));
    for (const socket of sockets) socket.pause();
    await until('all streams have begun', () => begun === (round + 1) * 25);
    for (const [at, socket] of sockets.entries()) socket[at % 2 === 0 ? 'destroy' : 'resetAndDestroy']();
    await until('all generators have ended', () => ended === begun);
  }
  await settled(web);
  assert.equal(begun, 100);
  assert.equal(web.clock.waiting, 0);
});

test('a reader that does not read holds one event in memory and is cut at 10 s', async (t) => {
  let yielded = 0;
  let ended = false;
  const web = await serveStream(t, async function* () {
    try {
      for (;;) {
        yielded += 1;
        yield event(String(yielded), 'cached', LARGE);
      }
    } finally {
      ended = true;
    }
  });
  const socket = await request(web);
  socket.pause();
  // Until the kernel's buffers are full and the writer waits: several turns without another event.
  for (let still = 0, seen = 0; still < 200; still = seen === yielded ? still + 1 : 0) {
    seen = yielded;
    await new Promise(setImmediate);
  }
  assert.ok(yielded < 100, `${yielded} events of 256 KiB`);
  web.clock.advance(9_999);
  assert.equal(ended, false);
  web.clock.advance(1);
  await until('the generator ends', () => ended);
  await settled(web);
  assert.equal(web.clock.waiting, 0);
  const text = await readToEnd(socket.resume());
  assert.ok(!text.endsWith('0\r\n\r\n'));
});

test('a stream may ask for another deadline, or for none', async (t) => {
  const generate: Generate = async function* ({ signal }) {
    yield event('1', 'cached');
    await abortableDatabase(signal);
  };
  const short = await serveStream(t, generate, 1_000);
  const first = await request(short);
  await new Promise((resolve) => first.once('data', resolve));
  short.clock.advance(1_000);
  await new Promise((resolve) => first.once('close', resolve));
  const endless = await serveStream(t, generate, null);
  const second = await request(endless);
  await new Promise((resolve) => second.once('data', resolve));
  endless.clock.advance(3_600_000);
  assert.equal(await endless.measure('freehold_http_active'), 1);
  assert.equal(await endless.measure('freehold_http_streams'), 1);
  second.destroy();
  await settled(endless);
  assert.equal(await endless.measure('freehold_http_streams'), 0);
});

test('an answer that nobody reads is cut after 10 s too', async (t) => {
  const handle = () => ({ text: 'x'.repeat(64 * 1024 * 1024) });
  const web = await serveRoutes(t, [testRoute({ path: '/v1/s', handle })]);
  const socket = await request(web);
  socket.pause();
  await until('the deadline is set', () => web.clock.waiting === 1);
  web.clock.advance(10_000);
  const text = await readToEnd(socket.resume());
  assert.ok(text.length < 64 * 1024 * 1024);
  assert.equal(web.clock.waiting, 0);
});

test('the signal of an ordinary call aborts when the client leaves, and not when it is answered', async (t) => {
  const signals: AbortSignal[] = [];
  const gate = Promise.withResolvers<void>();
  const web = await serveRoutes(t, [
    testRoute({
      path: '/v1/s',
      handle: async ({ signal }) => {
        signals.push(signal);
        if (signals.length === 1) await gate.promise;
        return { json: {} };
      },
    }),
  ]);
  const socket = await request(web);
  await until('the handler runs', () => signals.length === 1);
  socket.destroy();
  await until('its signal is aborted', () => signals[0]?.aborted === true);
  gate.resolve();
  const answer = parseRaw(await web.raw('GET /v1/s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'));
  assert.equal(answer.status, 200);
  assert.equal(signals[1]?.aborted, false);
  await settled(web);
});

test('a client that leaves before the first event gives back what the generator took', async (t) => {
  let held = 0;
  const gate = Promise.withResolvers<void>();
  async function* generate(): AsyncGenerator<ServerSentEvent> {
    try {
      yield event('1', 'cached');
      yield event('2', 'never');
    } finally {
      held -= 1;
    }
  }
  const handle = async () => {
    held += 1;
    await gate.promise;
    return { events: generate() };
  };
  const web = await serveRoutes(t, [
    testRoute({ path: '/v1/s', accepts: ['text/event-stream'], head: false, handle }),
  ]);
  const socket = await request(web);
  await until('the handler runs', () => held === 1);
  socket.resetAndDestroy();
  const connections = () => web.measure('freehold_http_connections');
  await until('the client has left', async () => (await connections()) === 0);
  gate.resolve();
  await until('the generator has ended', () => held === 0);
  await settled(web);
  assert.equal(await web.measure('freehold_http_streams'), 0);
  assert.equal(web.clock.waiting, 0);
});
