// Tests of exchanges that share a statement: an error stays with its own request, and an outage uses up nothing.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import {
  type AuthorizationCode,
  consent,
  parseSession,
  redeem,
  refresh,
  refreshSession,
  revoke,
  type Session,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });
const { clock, database, keys } = service;

const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));

function outcomes(answers: readonly { status: number; body: Readonly<Record<string, unknown>> }[]) {
  return answers.map(({ status, body }) => (status === 200 ? 200 : `${status} ${String(body.error)}`));
}

/** Makes the table of refresh tokens fail with this SQLSTATE: for the grant of one session, or for all. */
async function breakTable(code: string, session?: Session): Promise<void> {
  const hash = createHash('sha256')
    .update(session?.refreshToken ?? '')
    .digest();
  const [row] = await database.read(
    (sql) => sql<{ grant: number }[]>`select grant_id as grant from oauth_refresh_token where hash = ${hash}`,
  );
  const which = session === undefined ? 'true' : `new.grant_id = ${row?.grant}`;
  await database.write((sql) =>
    sql.unsafe(`
      create function broken() returns trigger language plpgsql as $$
      begin
        if ${which} then raise exception 'broken' using errcode = '${code}'; end if;
        return new;
      end $$;
      create trigger broken before insert on oauth_refresh_token for each row execute function broken()`),
  );
}

async function mendTable(): Promise<void> {
  await database.write((sql) => sql.unsafe('drop function broken() cascade'));
}

test('R10, RF2, RF5: of refreshes that come at once each is judged alone, whatever the others are', async () => {
  const good = await times(6, () => signIn(service, { key: keys.pro }));
  const free = await times(3, () => signIn(service));
  const [revoked, foreign, replaced] = await times(3, () => signIn(service));
  assert.ok(revoked && foreign && replaced);
  await revoke(service, revoked.refreshToken, revoked.clientId);
  const successor = await refreshSession(service, replaced);
  clock.advance(60_000);
  const mixed = [...good, revoked, ...free, { ...foreign, clientId: 'another-app' }, replaced];
  const answers = await Promise.all(mixed.map((session) => refresh(service, session)));
  assert.deepEqual(outcomes(answers), [
    ...Array(6).fill(200),
    '400 invalid_grant',
    ...Array(3).fill(200),
    ...Array(2).fill('400 invalid_grant'),
  ]);
  const tokens = answers.filter(({ status }) => status === 200).map(({ body }) => body.access_token);
  assert.equal(new Set(tokens).size, 9);
  for (const token of tokens) assert.equal(await statusOf(service, String(token)), 200);
  assert.equal(await statusOf(service, successor.accessToken), 'INVALID_TOKEN', 'its family has ended');
  assert.equal((await refresh(service, foreign)).status, 200, 'its owner notices nothing');
});

test('TK5, TK6, TK8: of codes that come at once each is judged alone, and a wrong one burns none', async () => {
  const good = await times(6, () => consent(service, { key: keys.pro }));
  const [bare, twice] = await times(2, () => consent(service));
  assert.ok(bare && twice);
  const wrong: AuthorizationCode = { ...bare, verifier: 'w'.repeat(43) };
  const answers = await Promise.all(
    [...good, wrong, twice, twice].map((authorizationCode) => redeem(service, authorizationCode)),
  );
  const [first, second] = outcomes(answers.slice(-2));
  assert.deepEqual(outcomes(answers.slice(0, 7)), [...Array(6).fill(200), '400 invalid_grant']);
  assert.deepEqual(new Set([first, second]), new Set([200, '400 invalid_grant']));
  assert.equal((await redeem(service, bare)).status, 200);
  for (const [index, authorizationCode] of good.entries()) {
    const session = parseSession(answers[index] ?? assert.fail(), authorizationCode.clientId);
    assert.equal((await refresh(service, session)).status, 200);
  }
});

test('a fault that one of many meets is told to its owner alone, and spends nothing', async (t) => {
  const sessions = await times(8, () => signIn(service));
  await breakTable('23514', sessions[3]);
  t.after(mendTable);
  const answers = await Promise.all(sessions.map((session) => refresh(service, session)));
  const expected = sessions.map((_session, index) => (index === 3 ? '500 server_error' : 200));
  assert.deepEqual(outcomes(answers), expected);
});

test('R11: a database that cannot write puts off all who come at once, and spends none of their tokens', async () => {
  const sessions = await times(8, () => signIn(service));
  const codes = await times(4, () => consent(service));
  await breakTable('53100');
  const exchanges = () =>
    Promise.all([
      ...sessions.map((session) => refresh(service, session)),
      ...codes.map((authorizationCode) => redeem(service, authorizationCode)),
    ]);
  assert.deepEqual(outcomes(await exchanges()), Array(12).fill('503 temporarily_unavailable'));
  await mendTable();
  const answers = await exchanges();
  assert.deepEqual(outcomes(answers), Array(12).fill(200));
});
