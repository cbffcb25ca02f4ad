// Proves over HTTP what the page about watchers shows and does, to whom, and what it refuses.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import { createLog } from '../../../src/lib/log.ts';
import { pageHeaders } from '../../../src/page/form-page.ts';
import { draft, NO_ADDRESS } from '../../support/catalogue/drafts.ts';
import { writer } from '../../support/catalogue/property-market.ts';
import { authorizationRequest, open, send as sendConsent } from '../../support/oauth/authorize.ts';
import { postForm, signIn } from '../../support/oauth/oauth.ts';
import { keyNumber, stubProvider } from '../../support/service/stub-provider.ts';
import { ACCOUNT, fieldOf, sendAccount } from '../../support/watch/account.ts';
import { startEventService } from '../../support/watch/event-service.ts';
import { sendWatcher, type WatcherRecord } from '../../support/watch/watchers.ts';

const provider = stubProvider();
const lines: string[] = [];
const service = await startEventService(
  { after },
  {
    overrides: { provider },
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
    log: createLog({ level: 'trace', stream: { write: (line) => void lines.push(line) } }),
  },
);
const { clock, log, url } = service;
/** An address may fail ten keys a minute, and a key send sixty forms. */
beforeEach(() => clock.advance(60_000));

let customers = 0;
function subscribe(plan: Plan) {
  const customer = `holder-${++customers}`;
  return { key: provider.subscribe(plan, undefined, customer), owner: `cus:${customer}` };
}

const SEARCH = {
  type: 'search',
  listingType: 'sale',
  query: { minBedrooms: 3, maxPrice: 600_000, currency: 'USD' },
};

async function create(key: string, body: object = {}): Promise<WatcherRecord> {
  const { status, text, watcher } = await sendWatcher(service, 'POST', '', {
    key,
    body: { target: SEARCH, ...body },
  });
  assert.equal(status, 201, text);
  return watcher;
}

const send = (fields: Record<string, string> | null, headers: Record<string, string> = {}) =>
  sendAccount(service, fields, headers);
const from = (address: string) => ({ 'x-forwarded-for': address });
const statusOf = async (key: string, id: string): Promise<string> =>
  (await sendWatcher(service, 'GET', `/${id}`, { key })).watcher.status;

test('a key lists its watchers in plain words, and nobody else’s', async () => {
  const { key } = subscribe('pro');
  const ids = await writer(service)(
    draft('elm', {
      listPrice: 450_000,
      address: { ...NO_ADDRESS, streetNumber: '12', streetName: 'Elm Street', city: 'Austin', state: 'TX' },
    }),
  );
  await create(key, { target: { type: 'listing', listingId: ids.get('elm') } });
  await create(key, { name: 'Family homes' });
  await create(subscribe('pro').key, { name: 'Not yours' });
  const list = await send({ api_key: ` ${key.toLowerCase()} ` });
  assert.equal(list.status, 200);
  assert.match(list.text, /2 in use, of the 25 watchers of the Pro tier\./);
  assert.match(
    list.text,
    /Family homes Active\. .*Watches Homes for sale Bedrooms: 3 or more Price: \$600,000 or less Tells At once Sends to No webhook/,
  );
  assert.match(
    list.text,
    /12 Elm Street, Austin, TX Active\. .* Watches One listing 12 Elm Street, Austin, TX/,
  );
  assert.ok(!list.text.includes('Not yours'));
});

test('a watcher shows its last ten events, the newest first, in words', async () => {
  const { key, owner } = subscribe('pro');
  const { id } = await create(key, { name: 'Family homes' });
  const { proof } = await send({ api_key: key });
  assert.match((await send({ proof, watcher: id })).text, /Last events Nothing has happened yet\./);
  for (let count = 0; count < 11; count += 1) await log.writeChange([{ id, owner }], ['search.match_added']);
  clock.advance(3_600_000);
  await log.writeChange([{ id, owner }], ['listing.price_decreased']);
  await log.writeChange(await log.createWatchers('cus:somebody', 1), ['listing.pending']);
  const { text } = await send({ api_key: key, watcher: id });
  assert.match(
    text,
    /Last events Price lowered Listing lst_\d+ 4,200, before 4,500 · today at \d\d:\d\d UTC New match/,
  );
  assert.equal(text.split('New match').length, 10);
  assert.ok(!text.includes('Pending'));
});

test('a watcher is paused and resumed by a button, without the key, as by the API', async () => {
  const { key } = subscribe('pro');
  const { id } = await create(key);
  const { proof } = await send({ api_key: key });
  const paused = await send({ proof, pause: id });
  assert.equal(paused.status, 200);
  assert.match(paused.html, /role="status">Paused\./);
  assert.match(paused.text, /Paused\. You paused it\./);
  const { watcher } = await sendWatcher(service, 'GET', `/${id}`, { key });
  assert.deepEqual([watcher.status, watcher.statusReason, watcher.version], ['paused', 'owner', 2]);
  const resumed = await send({ proof: paused.proof, watcher: id, resume: id });
  assert.match(resumed.html, /role="status">Resumed\./);
  assert.match(resumed.text, /Last events/);
  assert.equal(await statusOf(key, id), 'active');
  assert.equal((await send({ proof, pause: id })).status, 200);
  assert.equal((await send({ proof, pause: id })).status, 200);
  assert.equal(await statusOf(key, id), 'paused');
});

test('what the API would refuse is refused here, in its words', async () => {
  const { key } = subscribe('pro');
  const [first, second] = [await create(key), await create(key)];
  const { proof } = await send({ api_key: key });
  await send({ proof, pause: second.id });
  provider.change(key, {
    state: 'active',
    subscription: `sub_${key.slice(-12).toLowerCase()}`,
    tier: 'free',
    endsAt: null,
    customer: `holder-${customers}`,
  });
  await service.database.write(
    (sql) => sql`update watcher_owner set plan = 'free' where owner = ${`cus:holder-${customers}`}`,
  );
  const refused = await send({ proof, resume: second.id });
  assert.equal(refused.status, 403);
  assert.match(refused.html, /role="alert">The Free tier allows 1 watcher; the oldest count\./);
  assert.match(refused.html, /<title>Not done/);
  assert.equal(await statusOf(key, second.id), 'paused');
  await service.database.write((sql) => sql`update watcher set status = 'expired' where id = ${first.id}`);
  const expired = await send({ proof, pause: first.id });
  assert.equal(expired.status, 409);
  assert.match(expired.text, /has expired and cannot be changed/);
  const two = await send({ proof, pause: second.id, resume: second.id });
  assert.equal(two.status, 400);
  assert.match(two.text, /names the steps pause and resume/);
});

test('R38: a watcher of somebody else is as unknown as one that is not there, and nothing happens to it', async () => {
  const [mine, theirs] = [subscribe('pro'), subscribe('pro')];
  await create(mine.key);
  const { id } = await create(theirs.key, { name: 'Theirs' });
  await log.writeChange([{ id, owner: theirs.owner }]);
  const { proof } = await send({ api_key: mine.key });
  const seen = new Set<string>();
  for (const unknown of [id, 'wat_000000000000000000000000', "' or 1=1", 'x'.repeat(300)]) {
    for (const fields of [{ watcher: unknown }, { pause: unknown }, { resume: unknown }]) {
      const { status, text } = await send({ proof, ...fields });
      assert.equal(status, 404, JSON.stringify(fields));
      assert.ok(!text.includes('Theirs') && !text.includes('Price lowered'));
      seen.add(/You have no such watcher\.[^.]*\./.exec(text)?.[0] ?? text);
    }
  }
  assert.deepEqual([...seen], ['You have no such watcher. It may have been deleted meanwhile.']);
  assert.equal(await statusOf(theirs.key, id), 'active');
});

test('a proof replaces its key for ten minutes', async () => {
  const { key } = subscribe('pro');
  await create(key);
  const { proof } = await send({ api_key: key });
  clock.advance(599_999);
  const renewed = await send({ proof });
  assert.equal(renewed.status, 200);
  clock.advance(1);
  const late = await send({ proof });
  assert.equal(late.status, 401);
  assert.match(late.text, /Time is up\./);
  assert.match(late.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata=/);
  assert.equal((await send({ proof: renewed.proof })).status, 200);
});

test('a proof of another page or subscription opens nothing here, and one of this page nothing elsewhere', async () => {
  const [mine, theirs] = [subscribe('pro'), subscribe('pro')];
  const { id } = await create(mine.key);
  await create(theirs.key);
  const { proof } = await send({ api_key: mine.key });
  const consentPage = await (await open(service, authorizationRequest())).text();
  await signIn(service, { key: mine.key });
  const grantsPage = await fetch(`${url}/oauth/grants`, {
    method: 'POST',
    body: new URLSearchParams({ api_key: mine.key }),
    headers: { origin: url },
  });
  const grantsProof = fieldOf(await grantsPage.text(), 'proof');
  const transaction = fieldOf(consentPage, 'transaction');
  assert.ok(grantsProof !== '' && transaction !== '');
  for (const foreign of [grantsProof, transaction, `${proof}x`, proof.slice(1), 'x', ''])
    assert.equal((await send({ proof: foreign, pause: id })).status, 401, foreign);
  const atGrants = await postForm(service, '/oauth/grants', { proof }, { accept: 'application/json' });
  assert.equal(atGrants.status, 401);
  const other = await send({ api_key: theirs.key });
  assert.equal((await send({ proof: other.proof, pause: id })).status, 404);
  assert.equal(await statusOf(mine.key, id), 'active');
});

test('a proof ends with its subscription, and where nobody can tell, nothing is done', async () => {
  const { key } = subscribe('pro');
  const { id } = await create(key);
  const { proof } = await send({ api_key: key });
  provider.mode = 'fail';
  const unknown = await send({ proof, pause: id });
  provider.mode = 'answer';
  assert.equal(unknown.status, 503);
  assert.match(unknown.headers.get('retry-after') ?? '', /^[1-9]/);
  provider.change(key, { state: 'expired' });
  const ended = await send({ proof, pause: id });
  assert.equal(ended.status, 401);
  assert.match(ended.text, /Its subscription has ended\./);
  const rows = await service.database.read((sql) => sql`select status from watcher where id = ${id}`);
  assert.equal(rows[0]?.status, 'active');
});

test('what another site makes a browser send is refused', async () => {
  const { key } = subscribe('pro');
  const { id } = await create(key);
  const { proof } = await send({ api_key: key });
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    for (const fields of [{ api_key: key }, { proof, pause: id }]) {
      const refused = await send(fields, headers);
      assert.equal(refused.status, 403);
      assert.equal(refused.headers.get('access-control-allow-origin'), null);
    }
  }
  assert.equal(await statusOf(key, id), 'active');
  assert.equal(
    (await send({ proof, pause: id }, { origin: url, 'sec-fetch-site': 'same-origin' })).status,
    200,
  );
});

test('R33: an address has ten wrong keys in a minute over consent, grants and this page, and a known key is still taken', async () => {
  const { key } = subscribe('pro');
  await create(key);
  const address = from('192.0.2.9');
  let guesses = 0;
  const guess = {
    consent: async (): Promise<number> => {
      const fields = { ...authorizationRequest().parameters, api_key: keyNumber(++guesses) };
      return (await sendConsent(service, fields, address)).status;
    },
    grants: async (): Promise<number> =>
      (
        await postForm(
          service,
          '/oauth/grants',
          { api_key: keyNumber(++guesses) },
          { accept: 'application/json', ...address },
        )
      ).status,
    account: async (): Promise<number> => (await send({ api_key: keyNumber(++guesses) }, address)).status,
  };
  const turns = [guess.consent, guess.grants, guess.account];
  for (let turn = 0; turn < 10; turn += 1) assert.equal(await turns[turn % 3]?.(), 401);
  const before = provider.calls;
  for (const turn of turns) assert.equal(await turn(), 429);
  assert.equal(provider.calls, before);
  const throttled = await send({ api_key: keyNumber(++guesses) }, address);
  assert.match(throttled.headers.get('retry-after') ?? '', /^[1-9]/);
  assert.match(throttled.text, /Too many wrong keys/);
  assert.equal((await send({ api_key: key }, address)).status, 200);
  assert.equal((await send({ api_key: keyNumber(++guesses) }, from('192.0.2.10'))).status, 401);
  clock.advance(60_000);
  assert.equal(await guess.account(), 401);
});

test('a key sends sixty forms in a minute; then it is told to wait', async () => {
  const { key } = subscribe('pro');
  const { id } = await create(key);
  const { proof } = await send({ api_key: key });
  for (let count = 1; count < 60; count += 1) assert.equal((await send({ proof })).status, 200);
  const refused = await send({ proof, pause: id });
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]/);
  assert.equal((await send({ api_key: key })).status, 429);
  assert.equal(await statusOf(key, id), 'active');
  assert.equal((await send({ api_key: subscribe('free').key })).status, 200);
});

test('names and filters are text, whatever they hold', async () => {
  const { key, owner } = subscribe('pro');
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const query = { city: [hostile], q: `x' onfocus='y`, currency: 'USD' };
  const { id } = await create(key, { name: `\u202E${hostile}`, target: { ...SEARCH, query } });
  await log.writeChange([{ id, owner }]);
  const list = await send({ api_key: key });
  for (const { html, text, status } of [list, await send({ proof: list.proof, watcher: id })]) {
    assert.equal(status, 200);
    assert.ok(text.includes(hostile) && text.includes(`City: ${hostile}`.slice(0, 79)));
    assert.ok(!/<script|<img|<[^>]*\son\w+=/i.test(html.replaceAll(/="[^"]*"/g, '')));
    assert.ok(!html.includes('\u202E'));
  }
});

test('no key and no proof is in any URL, page or line of the log', async () => {
  const { key } = subscribe('pro');
  const { id } = await create(key);
  const list = await send({ api_key: key });
  const one = await send({ proof: list.proof, watcher: id });
  const wrong = await send({ api_key: keyNumber(0xdead) });
  const asked = await fetch(`${url}${ACCOUNT}?api_key=${key}&proof=${list.proof}`);
  const pages = [list.html, one.html, wrong.html, await asked.text()];
  assert.equal(asked.status, 200);
  for (const html of pages) {
    assert.ok(!html.includes(key) && !html.includes(key.slice(8)) && !html.includes(keyNumber(0xdead)));
    const targets = [...html.matchAll(/\s(?:href|src|action|formaction)="([^"]*)"/g)].map(
      ([, target]) => target,
    );
    assert.deepEqual(
      targets.filter(
        (target) =>
          !/^(?:watchers|#content|\.\.\/(?:docs|billing|account|explore)?(?:\/(?:market|metrics|start|mcp|limits|errors|watchers))?|\.\.\/oauth\/grants|\.\.\/favicon\.svg|\.\.\/readyz\?verbose)$/.test(
            target ?? '',
          ),
      ),
      [],
    );
  }
  assert.ok(!pages[3]?.includes(list.proof));
  for (const { html, proof } of [list, one])
    assert.equal(html.split(proof).length, html.split(`type="hidden" name="proof" value="${proof}"`).length);
  const logged = lines.join('');
  assert.ok(logged.includes(ACCOUNT));
  for (const secret of [key, key.slice(8), list.proof, one.proof, keyNumber(0xdead)])
    assert.ok(!logged.includes(secret), secret);
});

test('a new owner is told what to do next, and older watchers stand on later pages', async () => {
  const { key } = subscribe('pro');
  const empty = await send({ api_key: key });
  assert.match(empty.text, /You have no watchers yet\. .*Create your first .*curl '.*\/v1\/watchers'/);
  for (let count = 1; count <= 21; count += 1) await create(key, { name: `number-${count}.` });
  const first = await send({ api_key: key });
  assert.ok(first.text.includes('number-21.') && !first.text.includes('number-1.'));
  const cursor = fieldOf(first.html.slice(first.html.lastIndexOf('<div class="choices">')), 'cursor');
  const second = await send({ proof: first.proof, cursor });
  assert.ok(second.text.includes('number-1.') && !second.text.includes('number-2.'));
  assert.match(second.text, /Newer watchers/);
  assert.equal((await send({ proof: first.proof, cursor: 'x' })).status, 400);
  const paused = await send({ proof: first.proof, cursor, pause: fieldOf(second.html, 'pause') });
  assert.match(paused.text, /number-1\. Paused\./);
});

const REQUESTS: readonly (readonly [what: string, status: number, init: RequestInit])[] = [
  ['the page', 200, {}],
  ['no key', 401, { method: 'POST', body: new URLSearchParams() }],
  ['a wrong key', 401, { method: 'POST', body: new URLSearchParams({ api_key: keyNumber(1) }) }],
  ['JSON', 415, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
  ['too long a form', 413, { method: 'POST', body: new URLSearchParams({ api_key: 'x'.repeat(20_000) }) }],
  ['too long a field', 400, { method: 'POST', body: new URLSearchParams({ api_key: 'x'.repeat(3_000) }) }],
  ['a character that no id has', 400, { method: 'POST', body: new URLSearchParams({ pause: 'a\0b' }) }],
  ['a method that is not there', 405, { method: 'PUT' }],
];

for (const [what, status, init] of REQUESTS) {
  test(`${what} is answered by a page with every header that a page needs, as ${status}`, async () => {
    const headers = { origin: url, ...(init.headers as Record<string, string> | undefined) };
    const answer = await fetch(`${url}${ACCOUNT}`, { ...init, headers, redirect: 'manual' });
    assert.equal(answer.status, status, await answer.clone().text());
    for (const [name, value] of Object.entries(pageHeaders()))
      assert.equal(answer.headers.get(name), value, name);
    assert.equal(answer.headers.get('set-cookie'), null);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.match(await answer.text(), /^<!doctype html>\n<html lang="en">/);
  });
}
