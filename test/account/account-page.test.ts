// Proves over HTTP what the page about a key shows and refuses: its plan, its month, its apps and watchers.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Plan } from '../../src/access/tiers/tiers.ts';
import { createLog } from '../../src/lib/log.ts';
import { textOf } from '../support/browser/page-text.ts';
import { assertEvery } from '../support/check/every.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';
import { keyNumber, stubProvider } from '../support/service/stub-provider.ts';
import { fieldOf, sendAccount } from '../support/watch/account.ts';
import { sendWatcher } from '../support/watch/watchers.ts';

const provider = stubProvider();
const lines: string[] = [];
/** 24 November 2026, 13:00 UTC. */
const clock = manualClock(Date.UTC(2026, 10, 24, 13));
const service = await startService(
  { after },
  {
    clock,
    overrides: { provider },
    environment: { TRUSTED_PROXIES: '127.0.0.1', BILLING_PORTAL_URL: 'https://pay.example/portal' },
    log: createLog({ level: 'trace', stream: { write: (line) => void lines.push(line) } }),
  },
);
const { url } = service;
beforeEach(() => clock.advance(60_000));

let customers = 0;
const subscribe = (plan: Plan, endsAt?: number): string =>
  provider.subscribe(plan, endsAt, `holder-${++customers}`);

/** Sends the form of the page; null: opens it. */
async function send(fields: Record<string, string> | null, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/account`, {
    ...(fields !== null && { method: 'POST', body: new URLSearchParams(fields) }),
    // As browsers say it of a form.
    headers: { ...(fields !== null && { origin: url }), ...headers },
    redirect: 'manual',
  });
  const html = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    html,
    text: textOf(html),
    proof: fieldOf(html, 'proof'),
  };
}

test('a key shows its plan, what its month has used and when it resets, and its rate', async () => {
  const key = subscribe('pro');
  for (let count = 0; count < 3; count += 1) await service.json('/v1/search/sales?limit=1', key);
  const { status, text } = await send({ api_key: ` ${key.toLowerCase()} ` });
  assert.equal(status, 200);
  assert.match(text, /Plan Pro This month 3 of 50,000 requests used; 49,997 left/);
  assert.match(text, /Resets 1 December 2026 at 00:00 UTC , in 6 days Rate 300 requests in any 60 seconds/);
  assert.match(text, /Apps No app has access with this key\. Connected apps/);
  assert.match(text, /Watchers 0 of 25 in use\. Your watchers/);
});

test('the page counts the apps and watchers of its key, and nobody else’s', async () => {
  const [mine, theirs] = [subscribe('pro'), subscribe('pro')];
  await signIn(service, { key: mine });
  await signIn(service, { key: mine });
  await signIn(service, { key: theirs });
  const target = { type: 'search', listingType: 'sale', query: { minBedrooms: 3 } };
  const created = await sendWatcher(service, 'POST', '', { key: mine, body: { target } });
  assert.equal(created.status, 201, created.text);
  assert.match((await send({ api_key: mine })).text, /Apps 2 apps have access .* Watchers 1 of 25 in use/);
  assert.match((await send({ api_key: theirs })).text, /Apps One app has access .* Watchers 0 of 25 in use/);
});

test('a plan without limits and a plan with an end say so', async () => {
  assert.match(
    (await send({ api_key: subscribe('internal') })).text,
    /Plan Internal This month Unlimited requests, which are not counted .* Rate Unlimited .* 0 in use, any number allowed/,
  );
  const ending = subscribe('free', clock.now() + 3 * 86_400_000);
  assert.match(
    (await send({ api_key: ending })).text,
    /Plan Free , until 27 November 2026 at \d\d:\d\d UTC \(in 3 days\)/,
  );
});

test('payments are opened at the payment service alone', async () => {
  const { html, text } = await send({ api_key: subscribe('pro') });
  assert.match(
    html,
    /<a href="https:\/\/pay\.example\/portal" rel="noreferrer">See and change your payments<\/a>/,
  );
  assert.match(text, /You sign in there: a key does not open payments\./);
});

test('a proof replaces its key for ten minutes on this page, and on no other', async () => {
  const key = subscribe('pro');
  const { proof } = await send({ api_key: key });
  assert.equal((await sendAccount(service, { proof })).status, 401);
  const watchers = await sendAccount(service, { api_key: key });
  assert.equal((await send({ proof: watchers.proof })).status, 401);
  clock.advance(599_999);
  const again = await send({ proof });
  assert.equal(again.status, 200);
  assert.match(again.text, /Plan Pro/);
  clock.advance(1);
  const late = await send({ proof });
  assert.equal(late.status, 401);
  assert.match(late.text, /Time is up\./);
  provider.change(key, { state: 'expired' });
  assert.match((await send({ proof: again.proof })).text, /Its subscription has ended\./);
});

test('a key that opens nothing is told why', async () => {
  const reasons = {
    unpaid: /Its subscription is not paid for\. Pay the open invoice/,
    paused: /Its subscription is paused\. Resume it/,
    pending: /It works as soon as its payment is complete\./,
    replaced: /Another key of the same subscription has replaced it\./,
  } as const;
  for (const [reason, words] of Object.entries(reasons)) {
    const key = subscribe('pro');
    provider.change(key, { state: 'unknown', reason: reason as keyof typeof reasons });
    const { status, text } = await send({ api_key: key });
    assert.equal(status, 401, reason);
    assert.match(text, words);
    clock.advance(60_000);
    const answer = await service.get('/v1/usage', key);
    assert.equal(((await answer.json()) as { reason: string }).reason, reason);
  }
  const wrong = await send({ api_key: keyNumber(0xdead) });
  assert.match(wrong.text, /It belongs to no active subscription\./);
});

test('where nobody can tell, or another site asks, nothing is shown', async () => {
  const key = subscribe('pro');
  provider.mode = 'fail';
  const unknown = await send({ api_key: key });
  provider.mode = 'answer';
  assert.equal(unknown.status, 503);
  assert.match(unknown.headers.get('retry-after') ?? '', /^[1-9]/);
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const refused = await send({ api_key: key }, headers as Record<string, string>);
    assert.equal(refused.status, 403);
    assert.ok(!refused.text.includes('Plan Pro'));
  }
});

test('R33: wrong keys typed here and on the page of watchers are counted together', async () => {
  const address = { 'x-forwarded-for': '192.0.2.44' };
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await send({ api_key: keyNumber(0xf00 + count) }, address)).status, 401);
    assert.equal((await sendAccount(service, { api_key: keyNumber(0xe00 + count) }, address)).status, 401);
  }
  const refused = await send({ api_key: keyNumber(0xd00) }, address);
  assert.equal(refused.status, 429);
  assert.match(refused.text, /Too many wrong keys/);
});

test('no key, no proof and no cookie is in any URL, page or line of the log', async () => {
  const key = subscribe('pro');
  const first = await send({ api_key: key });
  const second = await send({ proof: first.proof });
  const asked = await fetch(`${url}/account?api_key=${key}&proof=${first.proof}`);
  for (const html of [first.html, second.html, await asked.text()]) {
    assert.ok(!html.includes(key) && !html.includes(key.slice(8)));
    const targets = [...html.matchAll(/\s(?:href|src|action|formaction)="([^"]*)"/g)].map(
      ([, target]) => target,
    );
    assertEvery(targets, (target) => !target?.includes(first.proof));
    assert.ok(!/<script|\son\w+=/.test(html));
  }
  const [, cookie = ''] = /=([^;]+)/.exec(first.headers.get('set-cookie') ?? '') ?? [];
  assert.ok(cookie.length > 40 && !first.html.includes(cookie));
  assert.equal(first.headers.get('cache-control'), 'no-store');
  const log = lines.join('');
  assert.ok(log.includes('/account'));
  for (const secret of [key.slice(8), first.proof, second.proof, cookie]) assert.ok(!log.includes(secret));
});
