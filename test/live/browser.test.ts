// Proof that the code which the documentation shows for pages reads a stream in a real browser, from another origin.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { noBrowser as skip, startBrowser, visit } from '../support/browser/chromium.ts';
import { readSource } from '../support/code/source-files.ts';
import { startService } from '../support/service/service.ts';

test('a page of another origin reads the stream of a listing with the code of the documentation, and learns why it may not', {
  skip,
}, async (t) => {
  const code = readSource('docs/examples/browser-stream.js').text;
  const { url, keys, json } = await startService(t, { source: 'sample' });
  const { data }: { data: { id: string }[] } = await json('/v1/search/sales?limit=1');
  const address = `${url}/v1/listing/${data[0]?.id}`;
  const page = createServer((request, response) => {
    const script = request.url === '/stream.js';
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    response.end(script ? code : '<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>');
  }).listen(0, '127.0.0.1');
  await once(page, 'listening');
  t.after(() => page.close());
  const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  const { page: tab } = await visit(await startBrowser(t), origin, { origins: [origin, url] });
  const watch = (key: string) =>
    tab.evaluate(`(async () => {
      const { watchListing } = await import('/stream.js');
      const events = [];
      const note = (event, data) => events.push([event, data.id ?? null]);
      await watchListing(${JSON.stringify(address)}, ${JSON.stringify(key)}, note).catch((error) => events.push(error.message));
      return events;
    })()`);
  assert.deepEqual(await watch(keys.pro), [
    ['cached', data[0]?.id],
    ['live', data[0]?.id],
    ['done', null],
  ]);
  assert.match(String(await watch(keys.free)), /^[A-Z].*Pro.*\.$/);
  const shown = await (await fetch(`${url}/docs/start`)).text();
  assert.ok(shown.includes(code.split('\n')[1]?.replaceAll("'", '&#39;') ?? ''));
  assert.ok(readSource('docs/start.md').text.includes(code));
});
