// Proof that one listing can be read as JSON at the address of its stream, by callers who ask for nothing but JSON.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { problemOf } from '../support/service/http-server.ts';
import { startLive } from '../support/sources/live-service.ts';

const service = await startLive({ after });
const { keys } = service;
const path = `/v1/listing/${service.id('a')}`;
const read = (accept: string, key: string | undefined = keys.pro, more: Record<string, string> = {}) =>
  service.get(path, key, { headers: { accept, ...more } });

interface Usage {
  readonly month: { readonly remaining: number };
  readonly minute: { readonly remaining: number };
  readonly streams: { readonly open: number };
}
const usage = async (): Promise<Usage> => (await service.get('/v1/usage', keys.pro)).json() as Promise<Usage>;

test('Accept decides: JSON where it is named and the stream is not, the stream for everybody else', async () => {
  for (const [accept, type] of [
    ['application/json', 'application/json; charset=utf-8'],
    ['application/json, text/plain, */*', 'application/json; charset=utf-8'],
    ['Application/JSON;q=0.1', 'application/json; charset=utf-8'],
    ['application/json, text/event-stream;q=0', 'application/json; charset=utf-8'],
    ['text/event-stream', 'text/event-stream'],
    ['application/json, text/event-stream', 'text/event-stream'],
    ['application/json;q=0, */*', 'text/event-stream'],
    ['*/*', 'text/event-stream'],
    ['', 'text/event-stream'],
  ] as const) {
    const answer = await read(accept);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type], accept);
    assert.match(answer.headers.get('vary') ?? '', /accept\b/i, accept);
    await answer.text();
  }
  for (const accept of ['text/html', 'application/*', 'application/json;q=0']) {
    const answer = await read(accept);
    assert.deepEqual([answer.status, (await problemOf(answer)).code], [406, 'NOT_ACCEPTABLE'], accept);
  }
});

test('the JSON is what the stream sends as cached, asks no source, and is known by its tag', async () => {
  const [cached] = await service.stream('a');
  const fetched = service.source.fetched.length;
  const answer = await read('application/json', keys.pro, { 'last-event-id': 'req_1.done' });
  assert.equal(answer.status, 200, 'Last-Event-ID means nothing here');
  assert.deepEqual(await answer.json(), JSON.parse(cached?.data ?? ''));
  assert.equal(service.source.fetched.length, fetched);
  const etag = answer.headers.get('etag') ?? '';
  assert.match(etag, /^W\/"/);
  assert.equal((await read('application/json', keys.pro, { 'if-none-match': etag })).status, 304);
  const head = await service.get(path, keys.pro, { method: 'HEAD', headers: { accept: 'application/json' } });
  assert.deepEqual([head.status, head.headers.get('etag')], [200, etag]);
  const stream = await service.get(path, keys.pro, { method: 'HEAD' });
  assert.deepEqual([stream.status, stream.headers.get('allow')], [405, 'GET, OPTIONS']);
});

test('it counts for minute and month like any read, and takes no place of a stream', async () => {
  const gate = Promise.withResolvers<void>();
  service.source.beforeFetch = () => gate.promise;
  const streams = await Promise.all(Array.from({ length: 10 }, () => read('text/event-stream')));
  const before = await usage();
  assert.equal((await read('application/json')).status, 200);
  const then = await usage();
  assert.equal(before.month.remaining - then.month.remaining, 1);
  assert.ok(then.minute.remaining < before.minute.remaining);
  assert.equal(then.streams.open, 10);
  gate.resolve();
  await Promise.all(streams.map((stream) => stream.text()));
  service.source.beforeFetch = async () => {};
});

test('it needs the Pro tier, and a listing that there is', async () => {
  for (const [key, where, status, code] of [
    [undefined, path, 401, 'MISSING_API_KEY'],
    [keys.free, path, 403, 'TIER_RESTRICTED'],
    [keys.pro, '/v1/listing/lst_nothing', 404, 'LISTING_NOT_FOUND'],
    [keys.pro, `${path}?what=this`, 400, 'INVALID_PARAMETER'],
  ] as const) {
    const answer = await service.get(where, key, { headers: { accept: 'application/json' } });
    assert.deepEqual([answer.status, (await problemOf(answer)).code], [status, code]);
  }
});
