// Tests of storage: only hashes, nothing in the log, and expired rows are deleted. SE1, SE4, LG1, LG2.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../../src/lib/log.ts';
import { sweepAll } from '../../../src/oauth/token/sweep.ts';
import { assertEvery } from '../../support/check/every.ts';
import { until } from '../../support/check/until.ts';
import { register } from '../../support/oauth/authorize.ts';
import {
  consent,
  parseSession,
  redeem,
  refresh,
  refreshSession,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const TABLES = ['oauth_grant', 'oauth_code', 'oauth_refresh_token', 'oauth_access_token', 'oauth_revocation'];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Every row of every table, as text; bytes as they are, so that a secret would be found in them too. */
async function dump({ database }: TestService): Promise<string> {
  const rows = await Promise.all(
    TABLES.map((table) =>
      database.read((sql) => sql<{ row: string }[]>`select to_jsonb(t)::text as row from ${sql(table)} t`),
    ),
  );
  const text = rows.flat().map(({ row }) => row);
  const bytes = text
    .join('\n')
    .replaceAll(/\\\\x([0-9a-f]+)/g, (_, hex) => Buffer.from(hex, 'hex').toString('latin1'));
  return `${text.join('\n')}\n${bytes}`;
}

async function counts({ database }: TestService): Promise<Record<string, number>> {
  const entries = await Promise.all(
    TABLES.slice(0, 4).map(async (table) => {
      const [row] = await database.read(
        (sql) => sql<{ count: number }[]>`select count(*)::int from ${sql(table)}`,
      );
      return [table.slice(6), row?.count ?? 0];
    }),
  );
  return Object.fromEntries(entries);
}

test('SE1, R30: no code, token, verifier or key can be found in any table', async (t) => {
  const service = await startService(t);
  const authorizationCode = await consent(service, { key: service.keys.pro });
  const first = parseSession(await redeem(service, authorizationCode), authorizationCode.clientId);
  const second = await refreshSession(service, first);
  await refreshSession(service, second);
  const text = await dump(service);
  assert.ok(text.includes(authorizationCode.clientId), 'the dump holds the tables');
  const secrets = [
    authorizationCode.code,
    authorizationCode.verifier,
    service.keys.pro,
    service.keys.pro.slice(8),
  ];
  for (const { accessToken, refreshToken } of [first, second]) secrets.push(accessToken, refreshToken);
  for (const secret of secrets) {
    const random = secret.replace(/^\w\w_/, '').slice(0, 43);
    const forms = [
      random,
      Buffer.from(random, 'base64url').toString('latin1'),
      Buffer.from(random, 'base64url').toString('hex'),
    ];
    for (const form of forms) assert.ok(!text.includes(form), secret.slice(0, 3));
  }
});

test('SE4: what has had its time is swept away, used codes only after the tokens made from them', async (t) => {
  const service = await startService(t);
  const { clock } = service;
  await consent(service);
  const used = await consent(service);
  clock.advance(5 * MINUTE - 1);
  const session = parseSession(await redeem(service, used), used.clientId);
  const after = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await sweepAll(service);
    return Object.values(await counts(service));
  };
  // Grants, codes, refresh tokens, access tokens.
  assert.deepEqual(await after(HOUR), [2, 2, 1, 1], 'a second use of the code would be noticed');
  assert.deepEqual(await after(1), [2, 0, 1, 1]);
  assert.deepEqual(await after(HOUR - 1), [2, 0, 1, 0]);
  assert.deepEqual(await after(DAY), [1, 0, 1, 0]);
  assert.equal((await refresh(service, session)).status, 200);
  assert.deepEqual(await after(30 * DAY), [1, 0, 0, 0]);
  assert.deepEqual(await after(2 * DAY), [0, 0, 0, 0]);
});

test('SE4: the service sweeps by itself', async (t) => {
  const service = await startService(t);
  await consent(service);
  service.clock.advance(2 * DAY);
  await until('it has swept', async () => {
    service.clock.advance(MINUTE);
    return Object.values(await counts(service)).every((count) => count === 0);
  });
});

test('LG1, LG2: misuse leaves a trail of grants and hashes, and no secret ever stands in the log', async (t) => {
  const sink = new PassThrough();
  const chunks: Buffer[] = [];
  sink.on('data', (chunk: Buffer) => chunks.push(chunk));
  const service = await startService(t, { log: createLog({ level: 'trace', stream: sink }) });
  const authorizationCode = await consent(service, { key: service.keys.pro });
  const first = parseSession(await redeem(service, authorizationCode), authorizationCode.clientId);
  await redeem(service, authorizationCode);
  const second = await signIn(service);
  const third = await refreshSession(service, second);
  await refresh(service, { ...third, clientId: 'another-app' });
  service.clock.advance(30_000);
  await refresh(service, second);
  await statusOf(service, third.accessToken);
  await fetch(
    `${service.url}/oauth/token?code=${authorizationCode.code}&refresh_token=${third.refreshToken}`,
  );
  await fetch(`${service.url}/v1/usage?token=${third.accessToken}`);
  const text = Buffer.concat(chunks).toString();
  const events = text
    .split('\n')
    .filter((line) => line.includes('"audit"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    events.map(({ audit, reason }) => (reason === undefined ? audit : `${audit} ${reason}`)),
    [
      'consent_granted',
      'code_replay',
      'family_revoked code_replay',
      'consent_granted',
      'refresh_foreign_client',
      'refresh_reuse',
      'family_revoked refresh_reuse',
    ],
  );
  assertEvery(events, ({ grant, client }) => typeof grant === 'number' && typeof client === 'string');
  for (const { audit, hash } of events)
    if (audit !== 'family_revoked' && audit !== 'consent_granted')
      assert.match(String(hash), /^[0-9a-f]{8}$/);
  const secrets = [
    authorizationCode.code,
    authorizationCode.verifier,
    service.keys.pro,
    service.keys.pro.slice(8),
  ];
  for (const { accessToken, refreshToken } of [first, second, third]) secrets.push(accessToken, refreshToken);
  for (const secret of secrets) {
    assert.ok(!text.includes(secret), secret.slice(0, 3));
    assert.ok(!text.includes(secret.slice(3, 40)), secret.slice(0, 3));
  }
});

test('what is issued, refreshed and revoked is counted, refreshes by kind of client', async (t) => {
  const service = await startService(t);
  const metadata = { client_name: 'Claude Code (homes)', redirect_uris: ['http://127.0.0.1/callback'] };
  const clientId = String((await register(service, metadata)).body.client_id);
  const first = await signIn(service, { clientId, redirectUri: 'http://127.0.0.1:4321/callback' });
  await refreshSession(service, first);
  await refreshSession(service, first);
  service.clock.advance(30_000);
  await refresh(service, first);
  await refreshSession(service, await signIn(service));
  await refresh(service, { ...first, refreshToken: 'rt_unknown' });
  const { text } = { text: await (await fetch(`${service.url}/metrics`)).text() };
  for (const line of [
    'freehold_oauth_tokens_issued_total{grant_type="authorization_code"} 2',
    'freehold_oauth_tokens_issued_total{grant_type="refresh_token"} 2',
    'freehold_oauth_refreshes_total{outcome="rotated",client="claude-code"} 1',
    'freehold_oauth_refreshes_total{outcome="repeated",client="claude-code"} 1',
    'freehold_oauth_refreshes_total{outcome="reused",client="claude-code"} 1',
    'freehold_oauth_refreshes_total{outcome="rotated",client="other"} 1',
    'freehold_oauth_refreshes_total{outcome="unknown",client="other"} 1',
    'freehold_oauth_revocations_total{reason="refresh_reuse"} 1',
  ])
    assert.ok(text.includes(line), line);
});
