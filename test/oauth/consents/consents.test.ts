// Tests of listing and ending grants, by owners and operators: CP5, CP12.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { assertEvery } from '../../support/check/every.ts';
import { until } from '../../support/check/until.ts';
import { temporaryFolder } from '../../support/database/database.ts';
import {
  consent,
  postForm,
  redeem,
  refresh,
  refreshSession,
  register,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { type CliEnd, runCommand } from '../../support/process/cli.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });
const { clock, url } = service;
/** An address may fail ten keys a minute. */
beforeEach(() => clock.advance(60_000));

const JSON_WANTED = { accept: 'application/json' };

async function list(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await postForm(service, '/oauth/grants', fields, { ...JSON_WANTED, ...headers });
  return { ...answer, grants: (answer.body.grants ?? []) as readonly Record<string, string>[] };
}

async function page(fields: Record<string, string> | null, headers: Record<string, string> = {}) {
  // As browsers say it of a form.
  const post = {
    method: 'POST',
    body: new URLSearchParams(fields ?? {}),
    headers: { origin: url, ...headers },
  };
  const answer = await fetch(`${url}/oauth/grants`, fields === null ? {} : post);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function fieldOf(text: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
}

test('CP12: a key lists what was granted with it, and nothing of others', async () => {
  const key = provider.subscribe('pro');
  const clientId = await register(service);
  const redirectUri = 'https://app.example/';
  const authorizationCode = await consent(service, { key, clientId, redirectUri, scope: 'watchers' });
  await redeem(service, authorizationCode);
  await signIn(service, { key });
  await signIn(service, { key: provider.subscribe('pro') });
  await signIn(service);
  const { status, headers, grants } = await list({ api_key: ` ${key.toLowerCase()} ` });
  assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store']);
  assert.deepEqual(
    grants.map((grant) => [grant.client_id, grant.client_name, grant.scope, grant.tier]),
    [
      ['desktop-app', null, 'listings:read listings:live watchers', 'pro'],
      [clientId, 'App', 'watchers', 'pro'],
    ],
  );
  const times = [grants[0]?.created_at, grants[0]?.last_used_at].map((time) => Date.parse(time ?? ''));
  assertEvery(times, (time) => time === clock.now());
});

test('CP12: the holder of a key ends one grant, and the others go on', async () => {
  const key = provider.subscribe('pro');
  const [one, two] = [await signIn(service, { key }), await signIn(service, { key })];
  for (const { accessToken } of [one, two]) assert.equal(await statusOf(service, accessToken), 200);
  const [newest] = (await list({ api_key: key })).grants;
  const { body, grants } = await list({ api_key: key, end: newest?.id ?? '' });
  assert.deepEqual([body.ended, grants.length], [true, 1]);
  assert.equal(await statusOf(service, two.accessToken), 'INVALID_TOKEN');
  assert.equal((await refresh(service, two)).body.error, 'invalid_grant');
  assert.equal(await statusOf(service, one.accessToken), 200);
  assert.equal((await list({ api_key: key, end: newest?.id ?? '' })).body.ended, false);
});

test('CP12: nobody ends what was granted with another key', async () => {
  const [mine, theirs] = [provider.subscribe('pro'), provider.subscribe('pro')];
  const session = await signIn(service, { key: theirs });
  const [grant] = (await list({ api_key: theirs })).grants;
  for (const end of [grant?.id ?? '', '0', '-1', 'x', '1e3', '9'.repeat(40), `${grant?.id} or 1=1`])
    assert.equal((await list({ api_key: mine, end })).body.ended, false, end);
  assert.equal(await statusOf(service, session.accessToken), 200);
});

test('CP12: the page asks for a key, lists what it granted, and ends one without asking for it again', async () => {
  const key = provider.subscribe('pro');
  const session = await signIn(service, { key });
  const keyPage = await page(null);
  assert.equal(keyPage.status, 200);
  assert.match(keyPage.text, /name="api_key"/);
  const list = await page({ api_key: key });
  assert.equal(list.status, 200);
  assert.ok(list.text.includes('desktop-app'));
  assert.ok(!list.text.includes(key) && !list.text.includes(key.slice(8)));
  for (const { headers } of [keyPage, list]) {
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.deepEqual([headers.get('cache-control'), headers.get('x-frame-options')], ['no-store', 'DENY']);
    assert.equal(headers.get('access-control-allow-origin'), null);
  }
  const [proof, end] = [
    fieldOf(list.text, 'proof'),
    fieldOf(list.text, 'end') || (/name="end" value="(\d+)"/.exec(list.text)?.[1] ?? ''),
  ];
  const ended = await page({ proof, end });
  assert.match(ended.text, /role="status"/);
  assert.ok(!ended.text.includes('desktop-app'));
  assert.equal(await statusOf(service, session.accessToken), 'INVALID_TOKEN');
});

test('CP12: a proof stands for its key for ten minutes, here alone, and cannot be made', async () => {
  const key = provider.subscribe('pro');
  await signIn(service, { key });
  const proof = fieldOf((await page({ api_key: key })).text, 'proof');
  assert.equal((await list({ proof })).grants.length, 1);
  const consentPage = await fetch(
    `${url}/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: 'x',
      redirect_uri: 'http://127.0.0.1/',
      state: 'x',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })}`,
  );
  const transaction = fieldOf(await consentPage.text(), 'transaction');
  assert.notEqual(transaction, '');
  for (const bad of [`${proof}x`, proof.slice(1), transaction, 'x'])
    assert.equal((await list({ proof: bad })).status, 401);
  clock.advance(600_000);
  assert.equal((await list({ proof })).status, 401);
  const late = await page({ proof });
  assert.equal(late.status, 401);
  assert.match(late.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata=/);
});

test('CP12: a key that is not good lists nothing, and guesses are slowed down with those at consent', async () => {
  const bad = 'SERVICE-00000000-0000-4000-8000-00000000DEAD';
  const wrong = await list({ api_key: bad });
  assert.deepEqual(
    [wrong.status, wrong.body.error, wrong.body.problem],
    [401, 'access_denied', 'INVALID_API_KEY'],
  );
  assert.equal((await page({ api_key: bad })).status, 401);
  assert.equal((await page({ api_key: '' })).status, 401);
  for (let count = 0; count < 10; count++) await list({ api_key: bad.replace('DEAD', `DE${count}D`) });
  const limited = await page({ api_key: bad });
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers.get('retry-after')) >= 1);
  clock.advance(60_000);
  provider.mode = 'fail';
  assert.equal((await page({ api_key: provider.subscribe('pro') })).status, 503);
  provider.mode = 'answer';
});

test('CP5: what another site makes a browser send is refused', async () => {
  const key = provider.subscribe('pro');
  await signIn(service, { key });
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
  ]) {
    assert.equal((await page({ api_key: key }, headers)).status, 403);
    assert.equal((await list({ api_key: key }, headers)).status, 403);
  }
  assert.equal((await page({ api_key: key }, { origin: url, 'sec-fetch-site': 'same-origin' })).status, 200);
});

async function freehold(...args: string[]): Promise<CliEnd> {
  const folder = await temporaryFolder({ after }, 'cli');
  return runCommand(args, { folder, environment: { DATABASE_URL: service.databaseUrl } });
}

test('an operator lists grants and ends one, which a running service hears at once', async () => {
  const session = await signIn(service, { key: provider.subscribe('pro') });
  assert.equal(await statusOf(service, session.accessToken), 200);
  const { grants } = JSON.parse((await freehold('grants', 'list', '--json')).stdout);
  assert.deepEqual([grants[0].clientId, grants[0].state, grants[0].tier], ['desktop-app', 'active', 'pro']);
  const id = String(grants[0].id);
  const ended = await freehold('grants', 'revoke', id);
  assert.deepEqual([ended.code, ended.stdout], [0, `${id}  revoked\n`]);
  await until('it is heard', async () => (await statusOf(service, session.accessToken)) === 'INVALID_TOKEN');
  const again = await freehold('grants', 'revoke', id);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /freehold grants list/);
  assert.match((await freehold('grants', 'list')).stdout, new RegExp(`^${id} +revoked +pro`, 'm'));
  assert.equal((await freehold('grants', 'revoke', 'x')).code, 2);
});

test('TK10: an operator shuts a client out: its grants end, and it is told that it is gone', async () => {
  const clientId = await register(service);
  const options = { clientId, redirectUri: 'https://app.example/' };
  const session = await refreshSession(service, await signIn(service, options));
  const authorizationCode = await consent(service, options);
  const other = await signIn(service);
  assert.equal(await statusOf(service, session.accessToken), 200);
  const listed = JSON.parse((await freehold('clients', 'list', '--json')).stdout);
  const row = listed.clients.find(({ id }: { id: string }) => id === clientId);
  assert.deepEqual([row.name, row.state, row.redirectUris], ['App', 'in use', ['https://app.example/']]);
  const { code, stdout } = await freehold('clients', 'revoke', clientId, '--json');
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).grants.length, 2);
  await until('it is heard', async () => (await statusOf(service, session.accessToken)) === 'INVALID_TOKEN');
  for (const answer of [await refresh(service, session), await redeem(service, authorizationCode)]) {
    assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client']);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata="[^"]+"$/);
  }
  assert.equal((await refresh(service, other)).status, 200);
  assert.match((await freehold('clients', 'list')).stdout, new RegExp(`${clientId} +revoked`));
});

test('a registration that has expired does not end what was granted to its client', async () => {
  const clientId = await register(service);
  let session = await signIn(service, { clientId, redirectUri: 'https://app.example/' });
  clock.advance(20 * 86_400_000);
  session = await refreshSession(service, session);
  clock.advance(20 * 86_400_000);
  session = await refreshSession(service, session);
  assert.equal(await statusOf(service, session.accessToken), 200);
});
