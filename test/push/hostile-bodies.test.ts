// Proof that no body breaks the service: whatever bytes come, in whatever chunks, memory stays bounded and the next request is answered.

import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { PUSH } from '../../src/access/tiers/tiers.ts';
import { arraySplitter, lineSplitter, type Splitter } from '../../src/push/split-records.ts';
import { runs } from '../support/check/runs.ts';
import { createSender, type Line, record } from '../support/push/sender.ts';
import { memoryLog } from '../support/service/memory-log.ts';
import { startService } from '../support/service/service.ts';

const log = memoryLog();
const service = await startService({ after }, { log: log.log, environment: { LOG_LEVEL: 'info' } });
const crm = await createSender(service, 'crm');

/** What a splitter gives of a text that comes in chunks, as texts. */
function split(make: () => Splitter, bytes: Buffer, cuts: readonly number[]): string[] {
  const splitter = make();
  const pieces: string[] = [];
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  for (const [at, edge] of edges.slice(1).entries())
    for (const piece of splitter.push(bytes.subarray(edges[at], edge))) pieces.push(String(piece));
  for (const piece of splitter.end()) pieces.push(String(piece));
  return pieces;
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

test('an array gives its elements, and lines give theirs, however they are cut into chunks', () => {
  const values = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 });
  fc.assert(
    fc.property(values, cuts, fc.nat(2), (list, edges, indent) => {
      const text = JSON.stringify(list, null, indent);
      const pieces = split(() => arraySplitter(1e6), Buffer.from(text), edges);
      assert.deepEqual(
        pieces.map((piece) => JSON.parse(piece)),
        JSON.parse(text),
      );
      const lines = list.map((value) => JSON.stringify(value)).join('\r\n');
      assert.deepEqual(
        split(() => lineSplitter(1e6), Buffer.from(lines), edges).map((piece) => JSON.parse(piece)),
        JSON.parse(JSON.stringify(list)),
      );
    }),
    runs(300, 1),
  );
});

test('an oversized element is passed over, and those around it are read', () => {
  const text = JSON.stringify([1, 'x'.repeat(500), { a: ['y'.repeat(500)] }, 2]);
  assert.deepEqual(
    split(() => arraySplitter(100), Buffer.from(text), [3, 90, 400]),
    ['1', 'null', 'null', '2'],
  );
});

/** Sends bytes in chunks; the status, or that the connection was closed. */
function sendChunks(
  chunks: readonly Uint8Array[],
  type: string,
  path = '/listings',
): Promise<number | 'closed'> {
  return new Promise((resolve) => {
    const request = httpRequest(
      `${service.url}/v1/sources/crm${path}`,
      { method: 'POST', headers: { authorization: `Bearer ${crm.token}`, 'content-type': type } },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    );
    request.on('error', () => resolve('closed'));
    for (const chunk of chunks) request.write(chunk);
    request.end();
  });
}

const bytes = fc.uint8Array({ maxLength: 300 });
const nearlyJson = fc.tuple(fc.json(), fc.string({ maxLength: 6 }), fc.nat()).map(([json, noise, at]) => {
  const cut = at % (json.length + 1);
  return new TextEncoder().encode(`[${json.slice(0, cut)}${noise}${json.slice(cut)}]\n`);
});
const nearlyRecord = fc
  .dictionary(
    fc.constantFrom(
      ...Object.keys(record()),
      'listingKey',
      'sequence',
      'photos',
      'openHouses',
      'taxes',
      'rental',
      'agent',
    ),
    fc.jsonValue({ maxDepth: 2 }),
  )
  .map((value) => new TextEncoder().encode(`${JSON.stringify([value])}`));

test('any bytes as a body are answered, line by line or with a problem, and the service goes on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(bytes, nearlyJson, nearlyRecord), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('application/json', 'application/x-ndjson'),
      fc.constantFrom('/listings?dryRun=true', '/listings', '/snapshot?dryRun=true'),
      async (chunks, type, path) => {
        const status = await sendChunks(chunks, type, path);
        assert.ok([200, 400, 409, 429].includes(status as number), String(status));
      },
    ),
    runs(150, 2),
  );
  service.clock.advance(60_000);
  assert.equal((await crm.put('after', record())).status, 201);
});

test('a record that never ends takes no memory, and one after another is refused', async () => {
  const chunk = Buffer.alloc(1_000_000, 'x');
  const before = process.memoryUsage().arrayBuffers;
  const status = await sendChunks(
    [Buffer.from('[{"a":"'), ...Array.from({ length: 40 }, () => chunk)],
    'application/json',
  );
  assert.equal(status, 200);
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 60_000_000, `${grown} bytes`);
});

test('a body beyond its maximum is refused by its head, and by its bytes where the head says nothing', async () => {
  const declared = await crm
    .send('POST', '/listings', '[]', { 'content-length': String(PUSH.bodyBytes + 1) })
    .catch(() => null);
  if (declared !== null) assert.equal(declared.json.code, 'PAYLOAD_TOO_LARGE');
  const single = await crm.put('large', record({ description: 'x'.repeat(PUSH.recordBytes) }));
  assert.equal(single.json.code, 'PAYLOAD_TOO_LARGE');
});

test('no token is in any line of the log, and none in an answer', async () => {
  await crm.send('POST', '/listings', [{ listingKey: crm.token, [crm.token]: crm.token }]);
  const [line] = (await crm.batch([{ [crm.token]: 1 }])) as Line[];
  assert.equal(JSON.stringify(line).includes(crm.token), false);
  await fetch(`${service.url}/v1/sources/${crm.token}/listings/x?token=${crm.token}`, {
    headers: { authorization: `Bearer ${crm.token}` },
  });
  const text = log.text();
  assert.ok(text.length > 0);
  assert.equal(text.includes(crm.token), false);
});
