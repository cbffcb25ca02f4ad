// Proves with a raw client that each fault breaks an answer the way it says, and nothing else.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { askToken, startSample } from '../support/sample/process.ts';

const sample = await startSample();
after(() => sample.stop());
const token = await sample.login();
const listed = (await (await sample.get('/odata/Property?$top=2&$select=ListingKey')).json()) as {
  value: { ListingKey: string }[];
};
const [first, second] = listed.value.map((row) => row.ListingKey);
const ENTITY = `/odata/Property('${first}')`;

beforeEach(() => sample.control('DELETE', 'faults'));

const fault = async (settings: object): Promise<void> => {
  const { status, body } = await sample.control('PUT', 'faults', settings);
  assert.equal(status, 200, JSON.stringify(body));
};

interface Raw {
  readonly head: string;
  readonly body: string;
  /** How the connection ended: closed in good order, reset, or cut by us. */
  readonly end: 'closed' | 'reset' | 'left';
  readonly bytes: number;
}

/** One request over a bare socket, read until it ends, or until `enough` bytes or half a second without any. */
function raw(path: string, enough = 2_000_000): Promise<Raw> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(sample.url).port), '127.0.0.1');
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = (end: Raw['end']): void => {
      socket.destroy();
      const text = Buffer.concat(parts).toString('utf8');
      const split = text.indexOf('\r\n\r\n');
      resolve({ head: text.slice(0, split), body: text.slice(split + 4), end, bytes });
    };
    socket.setTimeout(500, () => finish('left'));
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes > enough) finish('left');
    });
    socket.once('end', () => finish('closed'));
    socket.once('error', () => finish('reset'));
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: sample\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    );
  });
}

const promised = (answer: Raw): number => Number(/content-length: (\d+)/i.exec(answer.head)?.[1]);

test('without a fault the answer is whole', async () => {
  const answer = await raw(ENTITY);
  assert.match(answer.head, /^HTTP\/1\.1 200/);
  assert.equal(Buffer.byteLength(answer.body), promised(answer));
  assert.equal(JSON.parse(answer.body).ListingKey, first);
  assert.equal(answer.end, 'closed');
});

test('status answers with that code, and says when to come back for 429 and 503', async () => {
  for (const status of [400, 401, 403, 404, 410, 429, 500, 503]) {
    await fault({ kind: 'status', status });
    const response = await sample.get(ENTITY);
    assert.equal(response.status, status);
    assert.equal(response.headers.has('retry-after'), status === 429 || status === 503);
    await response.text();
  }
});

test('reset breaks the connection in the middle of the body', async () => {
  await fault({ kind: 'reset' });
  const answer = await raw(ENTITY);
  assert.equal(answer.end, 'reset');
  assert.ok(Buffer.byteLength(answer.body) < promised(answer) || answer.head === '');
});

test('truncated promises more than it sends and then closes in good order', async () => {
  await fault({ kind: 'truncated' });
  const answer = await raw(ENTITY);
  assert.equal(answer.end, 'closed');
  assert.ok(answer.body.length > 0 && Buffer.byteLength(answer.body) < promised(answer));
});

test('malformed is a complete 200 that is not JSON', async () => {
  await fault({ kind: 'malformed' });
  const response = await sample.get(ENTITY);
  assert.equal(response.status, 200);
  const text = await response.text();
  assert.throws(() => JSON.parse(text), SyntaxError);
});

test('wrong_id gives a sound record of another listing', async () => {
  await fault({ kind: 'wrong_id' });
  for (const [asked, path] of [
    [first, ENTITY],
    [second, `/odata/Property('${second}')`],
  ] as const) {
    const body = (await (await sample.get(path)).json()) as { ListingKey: string; ListPrice: number };
    assert.notEqual(body.ListingKey, asked);
    assert.equal(typeof body.ListPrice, 'number');
  }
});

test('drip sends one byte and then makes one wait', async () => {
  await fault({ kind: 'drip' });
  const answer = await raw(ENTITY);
  assert.equal(answer.end, 'left');
  assert.ok(answer.body.length <= 2, `${answer.body.length} bytes`);
});

test('huge goes on far beyond any sensible size', async () => {
  await fault({ kind: 'huge' });
  const answer = await raw(ENTITY, 30_000_000);
  assert.match(answer.head, /^HTTP\/1\.1 200/);
  assert.equal(answer.end, 'left');
  assert.ok(answer.bytes > 30_000_000);
});

test('redirect points elsewhere', async () => {
  await fault({ kind: 'redirect' });
  const response = await sample.get(ENTITY);
  assert.equal(response.status, 302);
  assert.ok(response.headers.get('location'));
});

test('latency alone delays a sound answer', async () => {
  await fault({ latencyMs: 60_000 });
  const waiting = await raw(ENTITY);
  assert.deepEqual([waiting.end, waiting.bytes], ['left', 0]);
  await fault({ latencyMs: 1 });
  assert.equal(JSON.parse((await raw(ENTITY)).body).ListingKey, first);
});

test('a fault can be kept to single listings, to pages or to the token endpoint', async () => {
  const codes = async (): Promise<number[]> => [
    (await sample.get(ENTITY)).status,
    (await sample.get('/odata/Property?$top=1')).status,
    (await askToken(sample.url)).status,
    (await fetch(`${sample.url}/areas.geojson`)).status,
  ];
  const expected = {
    all: [500, 500, 401, 200],
    entity: [500, 200, 401, 200],
    collection: [200, 500, 401, 200],
    token: [200, 200, 500, 200],
  };
  for (const [resource, wanted] of Object.entries(expected)) {
    await fault({ kind: 'status', status: 500, resource });
    assert.deepEqual(await codes(), wanted, resource);
  }
});

test('a share hits that part of the requests, and the same ones each time', async () => {
  const run = async (): Promise<string> => {
    await fault({ kind: 'status', status: 500, share: 0.3 });
    let pattern = '';
    for (let i = 0; i < 60; i += 1) pattern += (await sample.get(ENTITY)).status === 500 ? 'x' : '.';
    return pattern;
  };
  const [one, two] = [await run(), await run()];
  assert.equal(one, two);
  const hits = one.split('x').length - 1;
  assert.ok(hits > 8 && hits < 30, `${hits} of 60`);
});

test('the fault in force can be read, and lifted', async () => {
  assert.equal((await sample.control('GET', 'faults')).body, null);
  await fault({ kind: 'reset', resource: 'entity', share: 0.5 });
  assert.deepEqual((await sample.control('GET', 'faults')).body, {
    kind: 'reset',
    status: null,
    latencyMs: 0,
    retryAfter: 7,
    share: 0.5,
    resource: 'entity',
  });
  await sample.control('DELETE', 'faults');
  assert.equal((await sample.get(ENTITY)).status, 200);
});
