// Proves when a token ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ODataError } from './odata/problem.ts';
import { TokenDesk } from './token.ts';

test('a token is good until its lifetime is over, to the millisecond, and not after', () => {
  let now = 5_000_000;
  const desk = new TokenDesk({ clientId: 'a', clientSecret: 'b' }, 60, () => now);
  const form = 'grant_type=client_credentials&client_id=a&client_secret=b';
  const answer = desk.grant(undefined, 'application/x-www-form-urlencoded', form);
  assert.equal(answer.status, 200);
  const { access_token: token } = JSON.parse(String(answer.body)) as { access_token: string };
  now += 59_999;
  desk.check(`Bearer ${token}`);
  now += 1;
  assert.throws(() => desk.check(`Bearer ${token}`), ODataError);
});
