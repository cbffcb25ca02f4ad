// Comparison of access-token checks: the check alone, and within a whole request.

import assert from 'node:assert/strict';
import { type Arm, type Load, load, startArm, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { startOAuthArms, tokensOf } from './arms.ts';
import { compared, inTurns, SECONDS } from './load.ts';
import { ourSeed, type Seed } from './seed.ts';

export async function checkAgainstPeer(testbed: Testbed): Promise<Row[]> {
  return [...(await checkAlone(testbed)), await checkWithProperty(testbed)];
}

/** The same work in both: node:http alone, a token with the scope of the question or 401, and the same answer. */
async function checkAlone(testbed: Testbed): Promise<Row[]> {
  const { ours, theirs, stop } = await startOAuthArms(testbed, 'p15-check');
  const checking = await startArm('oauth/check-arm.ts', { DATABASE_URL: testbed.databaseUrl });
  const [our, their] = [
    { arm: checking, path: '/checked', token: await bearer(ours.arm, ourSeed(testbed, checking.url)) },
    { arm: theirs.arm, path: '/checked', token: await bearer(theirs.arm, theirs.seed) },
  ] as const;
  await requireSameAnswers([our, their]);
  const rounds = await inTurns(loading(our), loading(their));
  const bare = await inTurns(loading(our), loading({ ...our, path: '/unchecked' }));
  await Promise.all([stop(), checking.stop()]);
  return [
    compared('P15 access token checked, both behind node:http alone, ours / oidc-provider', rounds, 3),
    { ...compared('P15 the same, ours / node:http checking nothing', bare, 0), floor: '' },
  ];
}

/** Ours serves a property with all that goes with it; theirs sends the same body once the token was found to be good. */
async function checkWithProperty(testbed: Testbed): Promise<Row> {
  const path = `/v1/property/${testbed.ids[0]}`;
  const probe = await startOAuthArms(testbed, 'p15-probe');
  const body = await answered(probe.ours.arm.url + path, await bearer(probe.ours.arm, probe.ours.seed));
  await probe.stop();
  const { ours, theirs, stop } = await startOAuthArms(testbed, 'p15-property', body);
  const [our, their] = [
    { arm: ours.arm, path, token: await bearer(ours.arm, ours.seed) },
    { arm: theirs.arm, path: '/checked', token: await bearer(theirs.arm, theirs.seed) },
  ] as const;
  await requireSameAnswers([our, their]);
  const rounds = await inTurns(loading(our), loading(their));
  await stop();
  return compared('P15 access token checked, ours with a property served / oidc-provider without', rounds, 3);
}

interface Asked {
  readonly arm: Arm;
  readonly path: string;
  readonly token: Readonly<Record<string, string>>;
}

const loading =
  ({ arm, path, token }: Asked) =>
  (): Promise<Load> =>
    load(arm, path, token, SECONDS);

/** As many bytes for a good token, and 401 for one that is none. */
async function requireSameAnswers(asked: readonly Asked[]): Promise<void> {
  const sizes: number[] = [];
  for (const { arm, path, token } of asked) {
    sizes.push((await answered(arm.url + path, token)).length);
    const refused = await fetch(arm.url + path, { headers: { authorization: 'Bearer none' } });
    assert.equal(refused.status, 401);
  }
  assert.equal(new Set(sizes).size, 1);
}

async function answered(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(url, { headers });
  assert.equal(answer.status, 200);
  return answer.text();
}

/** An access token that this server issued, as the header that shows it. */
async function bearer(arm: Arm, seed: Seed): Promise<Record<string, string>> {
  const [body = ''] = await seed('refresh', 1);
  const { access_token } = await tokensOf(arm, body);
  return { authorization: `Bearer ${access_token}` };
}
