// Proof that a page of another origin reads a feed by fetch, in a real browser, and resumes it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { startEventService } from '../../support/watch/event-service.ts';

/** Runs in the page: reads a feed until this many events have come; gives their sequences and the last id. */
const READ = `async ({ address, key, lastId, count }) => {
  const leaving = new AbortController();
  const headers = { authorization: 'Bearer ' + key, ...(lastId && { 'last-event-id': lastId }) };
  const response = await fetch(address, { headers, signal: leaving.signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let sequences = [];
  while (sequences.length < count) {
    text += (await reader.read()).value;
    sequences = [...text.matchAll(/^data: .*"sequence":(\\d+)/gm)].map(([, each]) => Number(each));
  }
  leaving.abort();
  return { sequences, lastId: [...text.matchAll(/^id: (.*)$/gm)].at(-1)[1] };
}`;

test('a page reads a feed by fetch, leaves it, and goes on behind the last event that it got', {
  skip,
}, async (t) => {
  const { url, log, createOwner } = await startEventService(t);
  const { key, owner } = await createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  const page = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>');
  }).listen(0, '127.0.0.1');
  await once(page, 'listening');
  t.after(() => page.close());
  const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  const { page: tab } = await visit(await startBrowser(t), origin, { origins: [origin, url] });
  const address = `${url}/v1/events/stream`;
  const read = (count: number, lastId = '') =>
    tab.evaluate(`(${READ})(${JSON.stringify({ address, key, lastId, count })})`) as Promise<{
      sequences: number[];
      lastId: string;
    }>;
  const written: number[] = [];
  const write = async () =>
    written.push(...(await log.writeChange(watchers)).map(({ sequence }) => sequence));
  await write();
  const reading = read(3);
  await write();
  await write();
  const first = await reading;
  await write();
  await write();
  const rest = await read(2, first.lastId);
  assert.deepEqual([...first.sequences, ...rest.sequences], written);
});
