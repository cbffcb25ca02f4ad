// Proves which URLs webhooks may have, and that connections lead to those alone.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { type TestContext, test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { parseNetworkPort } from '../../lib/ip-address.ts';
import { OutboundFailure } from '../../lib/outbound-failure.ts';
import { createWebhookAccess, parseWebhookUrl } from './webhook-access.ts';

const PUBLIC = '93.184.216.34';

/** Names that resolve to addresses; others to none. */
const names =
  (answers: Readonly<Record<string, readonly string[]>>): LookupFunction =>
  (hostname, _options, callback) =>
    callback(
      null,
      (answers[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

function stage(
  t: TestContext,
  {
    allow = [],
    ownPorts = [],
    answers = {},
    allowLoopback = false,
  }: {
    readonly allowLoopback?: boolean;
    readonly allow?: readonly string[];
    readonly ownPorts?: readonly number[];
    readonly answers?: Readonly<Record<string, readonly string[]>>;
  },
) {
  const internet = { lookup: names(answers) };
  const options = {
    clock: manualClock(),
    allow: allow.map(parseNetworkPort),
    allowLoopback,
    internet,
    ownPorts: () => ownPorts,
  };
  const access = createWebhookAccess(options);
  t.after(() => access.close());
  return {
    access,
    /** Whether the URL is inner or public, or the beginning of its fault. */
    async judge(text: string): Promise<string> {
      const url = parseWebhookUrl(text);
      const result = 'fault' in url ? url : await access.check(url);
      if ('fault' in result) return result.fault.split(' ').slice(0, 4).join(' ');
      return result.isInner ? 'inner' : 'public';
    },
  };
}

test('a URL is absolute, http or https, without credentials and fragment, and bounded', () => {
  const fault = (text: string) => {
    const url = parseWebhookUrl(text);
    return 'fault' in url ? url.fault : null;
  };
  assert.equal(fault('https://example.com/hook?token=x'), null);
  for (const text of [
    '',
    'example.com',
    '/hook',
    'ftp://a.example/',
    'https:a.example',
    'javascript:0',
    ' https://a.example/',
  ])
    assert.match(fault(text) ?? '', /absolute URL/, text);
  for (const text of ['https://a.example/\\b', 'https://a.exa\nmple/', 'https://a.example/\u0000'])
    assert.match(fault(text) ?? '', /absolute URL/, JSON.stringify(text));
  assert.match(fault('https://user@a.example/') ?? '', /credentials/);
  assert.match(fault('https://:word@a.example/') ?? '', /credentials/);
  assert.match(fault('https://a.example/#') ?? '', /fragment/);
  assert.match(fault(`https://a.example/${'x'.repeat(2_000)}`) ?? '', /2000 characters/);
  assert.match(fault('https://a.example:0/') ?? '', /port 0/);
});

test('with the sample market, webhooks reach this machine, but not the ports of the service', async (t) => {
  const receiver = createServer((_request, response) => void response.writeHead(204).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const { access, judge } = stage(t, { allowLoopback: true, ownPorts: [8080, 5432] });
  for (const host of ['127.0.0.1', '127.0.0.9', '[::1]', 'localhost'])
    assert.equal(await judge(`http://${host}:9000/hook`), 'inner', host);
  assert.equal(await judge('http://127.0.0.1:8080/'), 'leads to an address');
  assert.equal(await judge('http://10.0.0.1:9000/'), 'leads to an address');
  const send = (url: string) =>
    access.outbound({ url, isInner: true }).send({ url, deadlineMs: 5_000, maxBytes: 100 });
  assert.equal((await send(`http://127.0.0.1:${port}/`)).status, 204);
  await assert.rejects(send('http://127.0.0.1:5432/'), OutboundFailure);
  const usual = stage(t, {});
  assert.equal(await usual.judge('http://127.0.0.1:9000/hook'), 'leads to an address');
});

test('every address must be public, and the scheme https', async (t) => {
  const { judge } = stage(t, {
    answers: {
      'a.example': [PUBLIC, '2606:4700::1111'],
      'mixed.example': [PUBLIC, '10.0.0.1'],
      'in.example': ['10.0.0.1'],
      'mapped.example': ['::ffff:127.0.0.1'],
    },
  });
  assert.equal(await judge('https://a.example:8443/x'), 'public');
  assert.equal(await judge(`https://${PUBLIC}/x`), 'public');
  assert.equal(await judge('http://a.example/'), 'must begin with https://');
  for (const host of ['mixed.example', 'in.example', 'mapped.example', '127.1', '[::1]', 'localhost', '0'])
    assert.equal(await judge(`https://${host}/`), 'leads to an address', host);
  assert.equal(await judge('https://unknown.example/'), 'names a host without');
});

test('the operator permits ports of networks, with http; never its own ports or metadata addresses', async (t) => {
  const { judge } = stage(t, {
    allow: [
      '127.0.0.0/8:9000',
      '10.0.0.0/8:443',
      '0.0.0.0/0:80',
      '::/0:80',
      '127.0.0.1:5432',
      '127.0.0.1:8080',
    ],
    ownPorts: [8080, 5432],
    answers: {
      'in.example': ['10.0.0.1', '10.9.9.9'],
      'mixed.example': [PUBLIC, '10.0.0.1'],

      'meta.example': ['169.254.169.254'],
      'meta6.example': ['fd00:ec2::254'],
      'zone.example': ['fe80::1%lo'],
    },
  });
  assert.equal(await judge('http://127.0.0.1:9000/hook'), 'inner');
  assert.equal(await judge('http://localhost:9000/hook'), 'inner');
  assert.equal(await judge('http://localhost:9001/hook'), 'leads to an address');
  assert.equal(await judge('https://in.example/'), 'inner');
  assert.equal(await judge('https://mixed.example/'), 'leads to an address', 'neither public nor permitted');
  assert.equal(await judge(`http://${PUBLIC}/`), 'inner', 'plain http is for what is permitted');
  for (const url of [
    'http://127.0.0.1:5432/',
    'http://localhost:8080/',
    'http://169.254.169.254/',
    'http://meta.example/',
  ])
    assert.equal(await judge(url), 'leads to an address', url);
  assert.equal(await judge('http://meta6.example/'), 'leads to an address');
  assert.equal(await judge('http://zone.example/'), 'leads to an address');
});

test('connections of an inner webhook reach what is permitted, those of a public one nothing inside', async (t) => {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const answers = { 'now.example': ['127.0.0.1'] };
  const { access } = stage(t, { allow: [`127.0.0.1:${port}`], answers });
  const send = (isInner: boolean, url: string) =>
    access
      .outbound({ url, isInner })
      .send({ url, method: 'POST', body: '{}', deadlineMs: 5_000, maxBytes: 1_000 })
      .then(
        ({ status }) => String(status),
        (error: unknown) => (error instanceof OutboundFailure ? error.kind : String(error)),
      );
  assert.equal(await send(true, `http://127.0.0.1:${port}/inner`), '200');
  assert.equal(await send(true, `http://now.example:${port}/named`), '200');
  assert.equal(await send(false, `http://127.0.0.1:${port}/public`), 'forbidden_address');
  assert.equal(await send(false, `https://now.example:${port}/public`), 'forbidden_address');
  assert.equal(await send(true, `http://127.0.0.1:${port + 1}/other`), 'forbidden_address');
  assert.deepEqual(hits, ['/inner', '/named']);
  const { access: withdrawn } = stage(t, { answers });
  const url = `http://127.0.0.1:${port}/withdrawn`;
  const sent = withdrawn.outbound({ url, isInner: true }).send({ url, deadlineMs: 5_000, maxBytes: 1_000 });
  await assert.rejects(sent, { kind: 'forbidden_address' });
  assert.equal(hits.length, 2, 'a permission that is taken back ends deliveries');
});
