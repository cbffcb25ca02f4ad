// Tests against server-side request forgery: no client URL, name or redirect reaches a private address.

import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { platform } from 'node:os';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createInternet, nameServerLookup } from '../../../src/lib/network/internet.ts';
import { createOutbound } from '../../../src/lib/outbound.ts';
import { OutboundFailure } from '../../../src/lib/outbound-failure.ts';
import { atEnd } from '../../support/database/database.ts';
import {
  type DocumentHosts,
  documentHosts,
  json,
  PUBLIC_ADDRESS,
} from '../../support/oauth/document-hosts.ts';
import { type HostileUrl, hostileUrls } from '../../support/oauth/hostile-urls.ts';
import { startNameServer } from '../../support/oauth/name-server.ts';
import { tryRebinding } from '../../support/oauth/rebinding.ts';
import { setTripwires } from '../../support/oauth/tripwires.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';

async function stage(t: TestContext) {
  const hosts = await documentHosts(t);
  const tripwires = await setTripwires(t);
  const urls = hostileUrls(tripwires.port, hosts);
  assert.ok(urls.length >= 200, `${urls.length} addresses`);
  for (const each of urls) say(hosts, each);
  t.diagnostic(`${urls.length} addresses, tripwires at ${tripwires.addresses.join(', ')}`);
  return { hosts, tripwires, urls };
}

function say(hosts: DocumentHosts, { url, answers }: HostileUrl): void {
  if (answers !== undefined && URL.canParse(url)) hosts.answers.set(new URL(url).hostname, answers);
}

test('R27: no hostile client_id makes the authorization endpoint touch an inward address', async (t) => {
  const { hosts, tripwires, urls } = await stage(t);
  const environment = { TRUSTED_PROXIES: '127.0.0.1' };
  const service = await startService(t, { overrides: { internet: hosts.internet }, environment });
  const outcomes: string[] = [];
  for (const [number, { url }] of urls.entries()) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: url,
      redirect_uri: 'https://client.example/cb',
      state: 's',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    const headers = { 'x-forwarded-for': `198.51.${number >> 8}.${number & 255}` };
    const answer = await service.get(`/oauth/authorize?${query}`, undefined, headers);
    await answer.arrayBuffer();
    if (answer.status !== 400 || answer.headers.has('location')) outcomes.push(`${url}: ${answer.status}`);
  }
  assert.deepEqual(outcomes, []);
  assert.deepEqual(tripwires.hits, []);
});

test('R27: the way outwards itself leads to no inward address, whatever it is given and by whichever method', async (t) => {
  const { hosts, tripwires, urls } = await stage(t);
  const internet = createInternet(manualClock(), hosts.internet);
  atEnd(t, () => internet.close());
  const wrong: string[] = [];
  for (const { url } of urls) {
    for (const each of [url, url.replace(/^https:/, 'http:')]) {
      for (const method of ['GET', 'POST'] as const) {
        const sent = internet.send({ url: each, method, deadlineMs: 5_000, maxBytes: 1_000 });
        const outcome = await sent.then(
          ({ status }) => status,
          (error: unknown) => (error instanceof OutboundFailure ? error.kind : String(error)),
        );
        const harmless = ['forbidden_address', 'invalid_url', 301, 302, 303, 307, 308].includes(outcome);
        // A good host that answers no plain HTTP, or that listens elsewhere.
        const outside =
          /(?:redirect|d\d)[\w-]*\.example/.test(each) && ['reset', 'refused'].includes(String(outcome));
        if (!harmless && !outside) wrong.push(`${method} ${each}: ${outcome}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(tripwires.hits, []);
});

test('R27: without the guard the same addresses do reach the tripwires', async (t) => {
  const { hosts, tripwires, urls } = await stage(t);
  const { lookup } = hosts.internet;
  const unguarded = createOutbound({ clock: manualClock(), lookup });
  atEnd(t, () => unguarded.close());
  // Only what leads to the tripwires and nowhere else: nothing is sent to real addresses.
  const local = urls.filter(({ url, answers = [] }) => {
    const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
    const ends = isIP(host) === 0 ? answers : [host];
    return ends.length > 0 && ends.every((end) => tripwires.addresses.includes(end));
  });
  for (const { url } of local) {
    await unguarded.send({ url, deadlineMs: 5_000, maxBytes: 1_000 }).catch(() => {});
  }
  for (const address of tripwires.addresses) assert.ok(tripwires.hits.includes(address), address);
  assert.ok(tripwires.hits.length > 50, `${tripwires.hits.length} hits`);
});

const elsewhere = platform() === 'linux' ? false : 'only Linux answers at 127.0.0.2 unasked';

test('R28: names that change their answers from public to inward and back are followed inwards not once', {
  skip: elsewhere,
}, async (t) => {
  const { hits, others, onePerConnection, answered, refused } = await tryRebinding(t, 400);
  assert.deepEqual({ hits, others, onePerConnection }, { hits: 0, others: [], onePerConnection: true });
  assert.ok(answered > 100 && refused > 100, `${answered} answered, ${refused} refused`);
});

test('R28: a connection that is used again stays at the address that was checked; a new one is checked anew', {
  skip: elsewhere,
}, async (t) => {
  const hosts = await documentHosts(t, '127.0.0.2');
  const tripwires = await setTripwires(t, Number(new URL(hosts.url('/')).port));
  const names = await startNameServer(t, (_name, nth) => (nth === 0 ? [PUBLIC_ADDRESS] : ['127.0.0.1']));
  const internet = createInternet(manualClock(), {
    ...hosts.internet,
    lookup: nameServerLookup([names.address]),
  });
  atEnd(t, () => internet.close());
  const send = (path: string) =>
    internet.send({ url: hosts.url(path), deadlineMs: 5_000, maxBytes: 1_000 }).then(
      ({ status }) => status,
      ({ kind }: OutboundFailure) => kind,
    );
  hosts.put('/keep.json', json({}));
  hosts.put('/close.json', json({}, { connection: 'close' }));
  for (const path of ['/keep.json', '/keep.json', '/close.json']) {
    assert.equal(await send(path), 200);
    // The pool takes a connection back only after those who waited have had their turn.
    await turn();
  }
  assert.equal(names.queries.get('client.example'), 1, 'one question for the one connection');
  assert.equal(await send('/keep.json'), 'forbidden_address');
  assert.equal(names.queries.get('client.example'), 2);
  assert.deepEqual(hosts.hits, [
    'client.example/keep.json',
    'client.example/keep.json',
    'client.example/close.json',
  ]);
  assert.deepEqual(tripwires.hits, []);
});
