// Proves that the program of docs/python.md runs as it stands, and waits where an answer asks for it.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { readSource } from '../support/code/source-files.ts';
import { atEnd } from '../support/database/database.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { source: 'sample', sampleListings: 800 });

/** Debian's own Python: another one before it in PATH has no pandas. */
const PYTHON = '/usr/bin/python3';
const { status } = spawnSync(PYTHON, ['-c', 'import pandas']);
const skip = status === 0 ? false : 'no python3-pandas';

test('whoever runs docs/python.md reads pages, exports, a stream and figures, also where each path refuses once', {
  skip,
}, async (t) => {
  const refused = new Set<string>();
  /** Passes requests on, but for the first of each path. */
  async function pass({ url = '/', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = url.split('?');
    if (!refused.has(path)) {
      refused.add(path);
      response.writeHead(429, { 'retry-after': '0', 'content-type': 'application/problem+json' }).end('{}');
      return;
    }
    const answer = await service.get(url, headers.authorization?.replace('Bearer ', ''));
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }
  const server = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1');
  atEnd(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const program = [...readSource('docs/python.md').text.matchAll(/^```python\n([\s\S]*?)^```$/gm)]
    .map(([, block]) => block)
    .join('\n');
  const { port } = server.address() as AddressInfo;
  const { stdout } = await promisify(execFile)(PYTHON, ['-W', 'error', '-c', program], {
    env: { ...process.env, FREEHOLD_URL: `http://127.0.0.1:${port}`, FREEHOLD_KEY: service.keys.business },
  });
  const lines = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]),
  );
  const total = async (query: string): Promise<number> => {
    const page: { readonly total: { readonly value: number } } = await service.json(
      `/v1/search/${query}`,
      service.keys.business,
    );
    return page.total.value;
  };
  assert.match(lines.homes ?? '', new RegExp(`^${await total('sales?minBedrooms=3&maxPrice=600000')} \\S`));
  assert.equal(lines.lines, String(await total('sales?hasPrice=true')));
  assert.match(lines.rents ?? '', new RegExp(`^${await total('rentals')} \\[`));
  assert.equal(lines.events, "['cached', 'live', 'done']");
  assert.match(lines.cities ?? '', /^\d+ UTC$/);
  assert.equal(lines.figures, "(12, 2) ['median_list_price', 'closed_listings']");
  assert.ok(refused.size >= 5, 'each of these was asked again');
});
