// Tests of the limits on consent: wrong keys, grants without a key, and failures of the provider.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { RequestThrottle } from '../../../src/access/limits/request-throttle.ts';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/lib/log.ts';
import { revokeClient } from '../../../src/oauth/clients/client-store.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, temporaryFolder, testDatabase } from '../../support/database/database.ts';
import { startDatabaseProxy } from '../../support/database/database-proxy.ts';
import {
  authorizationRequest,
  LOOPBACK,
  locationOf,
  open,
  register,
  registerClient,
  send,
  sendJson,
  submit,
} from '../../support/oauth/authorize.ts';
import { manualClock } from '../../support/service/clock.ts';
import { quietPort } from '../../support/service/ports.ts';
import { startService } from '../../support/service/service.ts';
import { keyNumber, stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService(
  { after },
  { overrides: { provider }, environment: { TRUSTED_PROXIES: '127.0.0.1' } },
);
const { clock } = service;
const WEB = 'https://app.example/cb';
const from = (address: string) => ({ 'x-forwarded-for': address });

let guesses = 0;
const guess = (address: string) =>
  send(service, { ...authorizationRequest().parameters, api_key: keyNumber(++guesses) }, from(address));

test('RL1: an address types ten wrong keys in a minute; then it is told to wait, and the provider is not asked', async () => {
  for (let round = 0; round < 10; round += 1) assert.equal((await guess('192.0.2.1')).status, 401);
  const before = provider.calls;
  const answer = await guess('192.0.2.1');
  assert.deepEqual([answer.status, answer.headers.get('location')], [429, null]);
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.match(await answer.text(), /Too many wrong keys/);
  assert.equal(provider.calls, before);
  assert.equal((await guess('192.0.2.2')).status, 401);
  clock.advance(60_000);
  assert.equal((await guess('192.0.2.1')).status, 401);
});

test('RL1: many guesses at once ask the provider ten times', async () => {
  const before = provider.calls;
  provider.mode = 'wait';
  const answers = Array.from({ length: 40 }, () => guess('192.0.2.3'));
  await until('the provider is asked ten times', () => provider.calls === before + 10);
  provider.mode = 'answer';
  provider.settle();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.equal(provider.calls, before + 10);
  assert.equal(statuses.filter((status) => status === 401).length, 10);
  assert.equal(statuses.filter((status) => status === 429).length, 30);
});

test('RL1: good keys, the Free tier and refusals are not held up by wrong keys, and count for nothing', async () => {
  const address = '192.0.2.4';
  const key = provider.subscribe('pro');
  const decide = (fields: Record<string, string>) =>
    send(service, { ...authorizationRequest().parameters, ...fields }, from(address));
  for (let round = 0; round < 12; round += 1) assert.equal((await decide({ api_key: key })).status, 303);
  for (let round = 0; round < 10; round += 1) assert.equal((await guess(address)).status, 401);
  assert.equal((await guess(address)).status, 429);
  assert.equal((await decide({ api_key: key })).status, 303);
  assert.equal((await decide({ decision: 'free' })).status, 303);
  assert.equal((await decide({ decision: 'deny' })).status, 303);
  const revoked = provider.subscribe('pro');
  await decide({ api_key: revoked });
  provider.change(revoked, { state: 'unknown' });
  assert.notEqual((await decide({ api_key: revoked })).status, 303);
});

test('RL1: an address makes 300 grants without a key in a minute, so that nobody can fill the database with them', async () => {
  const decide = (fields: Record<string, string>, address: string) =>
    send(service, { ...authorizationRequest().parameters, ...fields }, from(address));
  const statuses: number[] = [];
  for (let round = 0; round < 300; round += 1)
    statuses.push((await decide({ decision: 'free' }, '192.0.2.6')).status);
  assert.deepEqual(new Set(statuses), new Set([303]));
  const page = await decide({ decision: 'free' }, '192.0.2.6');
  assert.deepEqual([page.status, page.headers.get('location')], [429, null]);
  assert.match(page.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.match(await page.text(), /Too many requests/);
  const reply = await sendJson(
    service,
    { ...authorizationRequest().parameters, decision: 'free' },
    from('192.0.2.6'),
  );
  const body = (await reply.json()) as Record<string, unknown>;
  assert.deepEqual([reply.status, body.error], [429, 'temporarily_unavailable']);
  assert.equal((await decide({ api_key: provider.subscribe('pro') }, '192.0.2.6')).status, 303);
  assert.equal((await decide({ decision: 'free' }, '192.0.2.7')).status, 303);
  clock.advance(60_000);
  assert.equal((await decide({ decision: 'free' }, '192.0.2.6')).status, 303);
});

test('RL1, RL4: addresses of one IPv6 /64 guess together', async () => {
  for (let round = 1; round <= 10; round += 1) {
    assert.equal((await guess(`2001:db8:1:2::${round}`)).status, 401);
  }
  assert.equal((await guess('2001:db8:1:2:ffff::1')).status, 429);
  assert.equal((await guess('2001:db8:1:3::1')).status, 401);
});

test('RL2: programs are told to wait in the words of OAuth', async () => {
  for (let round = 0; round < 10; round += 1) await guess('192.0.2.5');
  const fields = { ...authorizationRequest().parameters, api_key: keyNumber(++guesses) };
  const answer = await sendJson(service, fields, from('192.0.2.5'));
  const body = (await answer.json()) as Record<string, unknown>;
  assert.deepEqual([answer.status, body.error], [429, 'temporarily_unavailable']);
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(answer.headers.get('www-authenticate'), null);
});

test('RL5: what is remembered of addresses is bounded, and a flood of them neither frees nor locks out anybody', () => {
  const throttle = new RequestThrottle(manualClock(), 60, 1_000);
  for (let count = 0; count < 60; count += 1) assert.equal(throttle.take('busy'), 0);
  const before = process.memoryUsage().heapUsed;
  for (let name = 0; name < 1_000_000; name += 1) throttle.take(`address ${name}`);
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 64 * 1024 * 1024, `${grown} bytes`);
  assert.ok(throttle.take('busy') > 0);
  assert.equal(throttle.take('somebody new'), 0);
});

test('of an address that continues without a key only a digest is kept, the same for all of its /64', async () => {
  const digests = new Set<string>();
  for (const address of ['2001:db8:9:9::1', '2001:db8:9:9::2', '198.51.100.7']) {
    const state = `digest-${address}`;
    const done = await send(
      service,
      { ...authorizationRequest({ state }).parameters, decision: 'free' },
      from(address),
    );
    assert.equal(done.status, 303);
    const [row] = await service.database.read(
      (sql) =>
        sql`select encode(address_hash, 'hex') as digest, subscription, tier from oauth_grant order by id desc`,
    );
    assert.deepEqual([row?.tier, row?.subscription], ['free', null]);
    digests.add(String(row?.digest));
  }
  assert.equal(digests.size, 2);
});

test('a client that the operator shut out goes no further, also where it needs no registration', async () => {
  const client = await registerClient(service, WEB);
  const authRequest = authorizationRequest({ client_id: client, redirect_uri: WEB });
  const page = await open(service, authRequest);
  assert.equal(page.status, 200);
  const text = await page.text();
  const transaction = /value="([^"]+\.[^"]+)"/.exec(text)?.[1] ?? '';
  const revoke = () => service.database.write((sql) => revokeClient(sql, client, new Date()));
  assert.equal(await revoke(), true);
  assert.equal(await revoke(), false);
  for (const answer of [
    await open(service, authRequest),
    await open(service, authorizationRequest({ client_id: client })),
    await send(service, { transaction, decision: 'free' }),
  ]) {
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null]);
    assert.match(await answer.text(), /may not connect/);
  }
  const reply = await sendJson(service, { ...authRequest.parameters, decision: 'free' });
  assert.equal(((await reply.json()) as { error: string }).error, 'invalid_client');
});

test('without a database people see a page, and programs the words of OAuth', async (t) => {
  const { url: direct } = await testDatabase(t);
  const line = await startDatabaseProxy(t, direct);
  const folder = await temporaryFolder(t, 'consent');
  const database = openDatabase({ url: line.url });
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  const environment = { DATABASE_URL: direct, DATA_DIR: folder, SOURCE: 'none' };
  const app = await createApp({
    config: readConfig(environment, folder),
    database,
    source: null,
    interval: 0,
    publicUrl: url,
    log: createLog({ level: 'silent' }),
    overrides: { clock: manualClock() },
  });
  atEnd(t, async () => {
    await app.stop();
    await database.close(100);
  });
  await app.server.listen('127.0.0.1', port);
  line.mode = 'cut';
  const place = { url };
  for (const page of [
    await open(place, authorizationRequest()),
    await send(place, { ...authorizationRequest().parameters, decision: 'free' }),
  ]) {
    assert.deepEqual([page.status, page.headers.get('location')], [503, null]);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(page.headers.get('retry-after') ?? '', /^[1-9]/);
    assert.match(await page.text(), /Not possible at the moment/);
  }
  const reply = await sendJson(place, { ...authorizationRequest().parameters, decision: 'free' });
  const body = (await reply.json()) as Record<string, unknown>;
  assert.deepEqual([reply.status, body.error], [503, 'temporarily_unavailable']);
  const registration = await register(place, { redirect_uris: [LOOPBACK] });
  assert.deepEqual([registration.status, registration.body.error], [503, 'temporarily_unavailable']);
});

test('two decisions on one page give two codes, each good once', async () => {
  const authRequest = authorizationRequest();
  const codes = await Promise.all([1, 2].map(() => submit(service, authRequest, { decision: 'free' })));
  assert.equal(new Set(codes.map((done) => locationOf(done).searchParams.get('code'))).size, 2);
});
