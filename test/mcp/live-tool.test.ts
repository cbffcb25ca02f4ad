// Tests of the tool that fetches a listing from its source: progress first, then both copies, or why there is one only.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { codeOf, textOf, toolCaller } from '../support/mcp/call-tool.ts';
import { FAULTS } from '../support/sources/upstream.ts';
import { record, startStreams } from '../support/streams/service.ts';

const service = await startStreams({ after });
const { clock, upstream, keys } = service;
const call = toolCaller(service.url, keys.pro);

/** Calls the tool with a token for progress; gives what has come so far. */
async function follow(key: string, signal?: AbortSignal): Promise<{ text(): string; closed: Promise<void> }> {
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${keys.pro}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_listing_live', arguments: { id: service.id(key) }, _meta: { progressToken: 'p' } },
    }),
    ...(signal && { signal }),
  });
  let text = '';
  const read = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
  };
  return { text: () => text, closed: read().catch(() => undefined) };
}

const progress = (text: string): readonly string[] =>
  [...text.matchAll(/"message":"([^"]*)"/g)].map(([, message = '']) => message);

test('both copies come, and no progress where none is asked for', async () => {
  upstream.records.set('a', record('a', 250));
  const answer = await call('get_listing_live', { id: service.id('a') });
  const { cached, live, error } = answer.structuredContent as Record<
    string,
    { price?: number; source?: string }
  >;
  assert.deepEqual([cached?.source, live?.source, live?.price, error], ['cached', 'live', 250, null]);
  assert.match(textOf(answer), /^Live: USD 250/);
});

test('the cached price, status and age are told at once; the error comes with them within ten seconds', async () => {
  const { open } = await usage();
  assert.equal(open, 0);
  upstream.faults.entity = FAULTS.hang;
  const requests = upstream.listingRequests.length;
  const called = await follow('b');
  await until('the progress comes', () => progress(called.text()).length > 0);
  assert.deepEqual(progress(called.text()).length, 1);
  assert.match(progress(called.text())[0] ?? '', /^Cached: USD 100 · ACTIVE · confirmed \d+ \w+ ago\./);
  assert.ok(!called.text().includes('"result"'));
  assert.equal((await usage()).open, 1);
  await upstream.untilRequested(requests + 1);
  clock.advance(8_000);
  await called.closed;
  const [, json = '{}'] = /^data: (\{.*"result".*)$/m.exec(called.text()) ?? [];
  const { result } = JSON.parse(json) as {
    result: { isError?: boolean; structuredContent: Record<string, never> };
  };
  const { cached, live, error } = result.structuredContent as Record<string, Record<string, unknown> | null>;
  assert.deepEqual([result.isError, cached?.price, live], [undefined, 100, null]);
  assert.deepEqual([error?.code, error?.retryable], ['timeout', true]);
  assert.equal((await usage()).open, 0);
});

test('a client that leaves gives its place back, and the fetch is dropped', async () => {
  upstream.faults.entity = FAULTS.hang;
  const requests = upstream.listingRequests.length;
  const controller = new AbortController();
  const called = await follow('c', controller.signal);
  await upstream.untilRequested(requests + 1);
  assert.equal((await usage()).open, 1);
  controller.abort();
  await called.closed;
  await until('the place is free', async () => (await usage()).open === 0);
});

test('a tier too low is a result that names the tier and says where tiers are explained', async () => {
  const answer = await toolCaller(service.url, keys.free)('get_listing_live', { id: service.id('a') });
  assert.equal(answer.isError, true);
  assert.equal(codeOf(answer), 'TIER_RESTRICTED');
  assert.match(textOf(answer), /needs the Pro tier.*these credentials have the Free tier/);
  assert.ok(textOf(answer).includes(`${service.url}/docs/limits`));
});

test('an unknown listing is a result that says where ids come from', async () => {
  const answer = await call('get_listing_live', { id: 'lst_nothing' });
  assert.deepEqual([answer.isError, codeOf(answer)], [true, 'LISTING_NOT_FOUND']);
  assert.match(textOf(answer), /search_rentals/);
});

async function usage(): Promise<{ open: number }> {
  const answer = await call('get_usage', {});
  return answer.structuredContent.streams as { open: number };
}
