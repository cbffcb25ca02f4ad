// Tests against server-side request forgery at the registration of webhooks: no URL or name reaches a private address. R27.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEvery } from '../../support/check/every.ts';
import { documentHosts } from '../../support/oauth/document-hosts.ts';
import { hostileUrls } from '../../support/oauth/hostile-urls.ts';
import { setTripwires } from '../../support/oauth/tripwires.ts';
import { quietPort } from '../../support/service/ports.ts';
import { SECRETS_KEY, type WebhookStage, webhookStage } from '../../support/watch/webhooks.ts';

const MINUTE = 60_000;

/** Registers URLs, each in a minute of its own as far as limits ask for that; gives the status and pointer of each. */
async function register({ clock, subscribe, create }: WebhookStage, urls: readonly string[]) {
  const { key } = await subscribe('internal');
  const outcomes = new Map<string, string>();
  for (const [number, url] of urls.entries()) {
    if (number % 10 === 0) clock.advance(MINUTE);
    const { status, errors } = await create(key, [{ type: 'webhook', url }]);
    outcomes.set(url, `${status} ${errors[0]?.pointer ?? ''}`.trim());
  }
  return outcomes;
}

for (const allow of ['', '127.0.0.1:1,[::1]:1,10.0.0.0/8:1'])
  test(`R27: no hostile URL is registered${allow && ', also where ports of inner networks are permitted'}, and none is touched`, async (t) => {
    const hosts = await documentHosts(t);
    const tripwires = await setTripwires(t);
    const urls = hostileUrls(tripwires.port, hosts);
    assert.ok(urls.length >= 200, `${urls.length} URLs`);
    for (const { url, answers } of urls)
      if (answers !== undefined && URL.canParse(url)) hosts.answers.set(new URL(url).hostname, answers);
    const environment = { SECRETS_KEY, WEBHOOK_ALLOW: allow };
    const stage = await webhookStage(t, environment, { internet: hosts.internet });
    const outcomes = await register(stage, [...new Set(urls.map(({ url }) => url))]);
    const wrong = [...outcomes].filter(([url, outcome]) => {
      // Good hosts that redirect: registered, and never followed.
      const isRedirect = /^https:\/\/redirect\d-\d+\.example/.test(url);
      return outcome !== (isRedirect ? '201' : '400 /delivery/0/url') && outcome !== '400';
    });
    assert.deepEqual(wrong, []);
    const unpointed = [...outcomes].filter(([, outcome]) => outcome === '400').map(([url]) => url);
    assertEvery(unpointed, (url) => url.includes('\u0000'), `refused with the whole body: ${unpointed}`);
    assert.deepEqual(tripwires.hits, []);
    t.diagnostic(
      `${outcomes.size} URLs, tripwires at ${tripwires.addresses.join(', ')}: ${tripwires.hits.length} hits`,
    );
  });

test('a permission for everything still leads neither to the service, nor to its database, nor to metadata', async (t) => {
  const ports = [18_099, 5432, 80, 443, 9_000];
  const stage = await webhookStage(t, {
    SECRETS_KEY,
    PORT: '18099',
    WEBHOOK_ALLOW: ports
      .flatMap((port) => [`0.0.0.0/0:${port}`, `[::]/0:${port}`])
      .join()
      .replaceAll('[::]', '::'),
  });
  const { url } = stage.service;
  stage.answers.set('meta.example', ['169.254.169.254']);
  stage.answers.set('meta6.example', ['fd00:ec2::254']);
  const refused = [
    url,
    'http://127.0.0.1:18099/',
    'http://localhost:18099/',
    'http://10.0.0.1:18099/',
    'http://127.0.0.1:5432/',
    'https://[::1]:5432/',

    'http://169.254.169.254/latest',
    'https://169.254.170.2/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://meta.example/',
    'https://meta6.example/',
    'http://2852039166/',
  ];
  const outcomes = await register(stage, refused);
  assert.deepEqual(
    [...outcomes].filter(([, outcome]) => outcome !== '400 /delivery/0/url'),
    [],
  );
  const allowed = await register(stage, [
    'http://127.0.0.1:9000/',
    'http://192.168.1.5/',
    'https://[fd00::5]/',
  ]);
  assert.deepEqual([...allowed.values()], ['201', '201', '201']);
});

test('the port that the service was given counts as its own, whatever PORT and PUBLIC_URL say', async (t) => {
  const stage = await webhookStage(t);
  const [port, other] = [await quietPort(), 9_000];
  const service = await stage.another(
    {
      SECRETS_KEY,
      PORT: '0',
      PUBLIC_URL: 'https://listings.example',
      WEBHOOK_ALLOW: `127.0.0.0/8:${port},127.0.0.0/8:${other}`,
    },
    port,
  );
  const { key } = await stage.subscribe('pro');
  const create = (at: number) =>
    service.create(key, [{ type: 'webhook', url: `http://127.0.0.1:${at}/healthz` }]);
  assert.equal((await create(port)).errors[0]?.pointer, '/delivery/0/url');
  assert.equal((await create(other)).status, 201);
});

test('the port of PostgreSQL is closed to webhooks in every form that DATABASE_URL may have', async (t) => {
  const stage = await webhookStage(t);
  const { key } = await stage.subscribe('pro');
  const [port, other] = [6_543, 9_000];
  for (const url of [
    `postgres://me:secret@localhost:${port}/homes`,
    `postgres://localhost:${port}/homes?user=me`,
    `postgres://me@localhost/homes?port=${port}`,
    `postgres://me@[::1]:${port}/homes`,
  ]) {
    const allow = [port, other, 5432].map((each) => `127.0.0.0/8:${each}`).join();
    const service = await stage.another({ SECRETS_KEY, DATABASE_URL: url, WEBHOOK_ALLOW: allow });
    const create = (at: number) => service.create(key, [{ type: 'webhook', url: `http://127.0.0.1:${at}/` }]);
    assert.equal((await create(port)).errors[0]?.pointer, '/delivery/0/url', url);
    assert.equal((await create(5432)).errors[0]?.pointer, '/delivery/0/url');
    assert.equal((await create(other)).status, 201);
    await service.stop();
  }
});
