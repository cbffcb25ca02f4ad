// Tests of the configurations of load balancers, by the programs that they are for, before servers in place of nodes.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  type Balancer,
  type BalancerKind,
  checkBalancer,
  startBalancer,
  withoutBalancer,
} from '../support/balancers/balancer.ts';
import { askRaw, type RawRequest } from '../support/balancers/raw-request.ts';
import { spellingsOf } from '../support/balancers/spellings.ts';
import { startStubNodes } from '../support/balancers/stub-nodes.ts';
import { until } from '../support/check/until.ts';

const KINDS: readonly BalancerKind[] = ['haproxy', 'nginx', 'caddy'];
const createKey = () => `SERVICE-${randomUUID().toUpperCase()}`;
const withKey = (key: string): RawRequest => ({ headers: ['Authorization', `Bearer ${key}`] });
const behind = (address: string): RawRequest => ({ headers: ['X-Forwarded-For', address] });

interface NodeAnswer {
  readonly node: number;
  readonly forwardedFor: string | null;
}

async function ask({ port }: Balancer, request: RawRequest): Promise<NodeAnswer> {
  const { status, body } = await askRaw(port, request);
  assert.equal(status, 200, body);
  return JSON.parse(body) as NodeAnswer;
}

const nodeOf = async (balancer: Balancer, request: RawRequest) => (await ask(balancer, request)).node;

/** The nodes that these requests reach, without repetition. */
async function nodesOf(balancer: Balancer, requests: readonly RawRequest[]): Promise<readonly number[]> {
  const nodes = await Promise.all(requests.map((request) => nodeOf(balancer, request)));
  return [...new Set(nodes)].toSorted();
}

for (const kind of KINDS) {
  const skip = withoutBalancer(kind);

  test(`${kind} accepts its configuration`, { skip }, (t) => checkBalancer(t, kind));

  test(`${kind} sends every spelling of a credential to one node, and credentials to all nodes`, {
    skip,
  }, async (t) => {
    const balancer = await startBalancer(t, kind, (await startStubNodes(t)).ports);
    const keys = Array.from({ length: 40 }, createKey);
    for (const key of keys.slice(0, 12)) {
      const spelt = spellingsOf(key).map((value) => ({ headers: ['Authorization', value] }));
      // From wherever they come.
      const moved = spelt.map((request, at) => ({ ...request, from: `127.0.0.${at + 2}` }));
      assert.equal((await nodesOf(balancer, [...spelt, ...moved])).length, 1, key);
    }
    assert.deepEqual(await nodesOf(balancer, keys.map(withKey)), [1, 2, 3]);
    const tokens = Array.from({ length: 40 }, () => `at_${randomUUID()}`);
    assert.deepEqual(await nodesOf(balancer, tokens.map(withKey)), [1, 2, 3]);
    for (const token of tokens.slice(0, 5))
      assert.equal((await nodesOf(balancer, [withKey(token), withKey(token), withKey(token)])).length, 1);
  });

  test(`${kind} sends callers without credentials to a node by their address, of IPv6 by the network`, {
    skip,
  }, async (t) => {
    const balancer = await startBalancer(t, kind, (await startStubNodes(t)).ports);
    const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
    const addresses = numbers.map((number) => `198.51.100.${number}`);
    assert.deepEqual(await nodesOf(balancer, addresses.map(behind)), [1, 2, 3]);
    const networks = numbers.map((number) => `2001:db8:7:${number.toString(16)}`);
    assert.deepEqual(
      await nodesOf(
        balancer,
        networks.map((network) => behind(`${network}::1`)),
      ),
      [1, 2, 3],
    );
    const oneEach = [
      addresses.slice(0, 1),
      ['2001:db8:7:1::1', '2001:db8:7:1::2:0:1', '2001:db8:7:1:a:b:c:d', '2001:db8:7:1:1::'],
      ['2001:db8::1', '2001:db8::9:1', '2001:db8::7:8:9:1', '2001:db8:0:0:1::', '2001:db8::1:2:3:4'],
      ['2001:db8:7::1', '2001:db8:7:0:1:2:3:4', '2001:db8:7::9:0:1', '2001:db8:7:0:1::'],
      ['2600::1', '2600::1:2:3:4', '2600:0:0:0:1::'],
    ];
    for (const group of oneEach) {
      const nodes = await nodesOf(balancer, [...group, ...group, ...group].map(behind));
      assert.equal(nodes.length, 1, group.join());
    }
    // What is no credential that the service reads is a matter of the address, too.
    const [address = ''] = addresses;
    const others = [
      ['Authorization', 'Basic YTpi'],
      ['Authorization', 'Bearer'],
      ['X-Api-Key', createKey()],
      ['X-Freehold-Caller', createKey()],
    ];
    const unread = others.map((header) => ({ headers: [...header, 'X-Forwarded-For', address] }));
    assert.deepEqual(await nodesOf(balancer, unread), await nodesOf(balancer, [behind(address)]));
  });

  test(`${kind} moves the callers of a node that is gone, nobody else, and back when it returns`, {
    skip,
  }, async (t) => {
    const nodes = await startStubNodes(t);
    const balancer = await startBalancer(t, kind, nodes.ports);
    const requests = Array.from({ length: 60 }, createKey).map(withKey);
    const before: number[] = [];
    for (const request of requests) before.push(await nodeOf(balancer, request));
    await nodes.kill(2);
    for (const [at, request] of requests.entries()) {
      const node = await nodeOf(balancer, request);
      if (before[at] === 2) assert.notEqual(node, 2);
      else assert.equal(node, before[at]);
    }
    await nodes.restart(2);
    await until('all are where they were', async () => {
      for (const [at, request] of requests.entries())
        if ((await nodeOf(balancer, request)) !== before[at]) return false;
      return true;
    });
  });

  test(`${kind} repeats what a node may have received only if it can be repeated`, { skip }, async (t) => {
    const nodes = await startStubNodes(t);
    const balancer = await startBalancer(t, kind, nodes.ports);
    const request = withKey(createKey());
    const node = await nodeOf(balancer, request);
    nodes.treatments.set('/dying', (incoming, response) => {
      if (incoming.socket.localPort === nodes.ports[node - 1]) incoming.socket.destroy();
      else response.end('elsewhere');
    });
    assert.equal((await askRaw(balancer.port, { ...request, path: '/dying' })).body, 'elsewhere');
    nodes.received.length = 0;
    const posted = await askRaw(balancer.port, { ...request, path: '/dying', method: 'POST' });
    assert.equal(posted.status, 502);
    assert.deepEqual(nodes.received, [`${node} POST /dying`]);
  });

  test(`${kind} tells a node who calls, whatever the caller says, and passes events as they come`, {
    skip,
  }, async (t) => {
    const nodes = await startStubNodes(t);
    const balancer = await startBalancer(t, kind, nodes.ports);
    const forged = { headers: ['X-Forwarded-For', '203.0.113.9'], from: '127.0.0.9' };
    const { forwardedFor } = await ask(balancer, forged);
    assert.equal((forwardedFor ?? '').split(',').at(-1)?.trim(), '127.0.0.9');

    const gate = Promise.withResolvers<void>();
    nodes.treatments.set('/stream', async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('id: 1\ndata: first\n\n');
      await gate.promise;
      response.end('id: 2\ndata: second\n\n');
    });
    // With the encodings that clients usually ask for.
    const response = await fetch(`${balancer.url}/stream`);
    let text = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      // The second is sent once the first has arrived.
      if (text.includes('first')) gate.resolve();
    }
    assert.match(text, /first[\s\S]*second/);
  });
}
