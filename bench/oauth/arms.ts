// The two servers of the OAuth comparisons, and the check that they do the same.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import postgres from 'postgres';
import { parseDatabaseUrl } from '../../src/postgres/client/connection-url.ts';
import { type Arm, startArm, type Testbed, writeTiers } from '../testbed.ts';
import { createModelTable } from './adapter.ts';
import type { Exchanger } from './load.ts';
import { ourSeed, peerSeed, REFRESH_PREFIX } from './seed.ts';

const TIERS = { pro: { minute: 5_000_000, month: 1_000_000_000 } };

export interface Arms {
  readonly ours: Exchanger;
  readonly theirs: Exchanger;
  stop(): Promise<void>;
}

/** Both on the database of the testbed. `body` is what oidc-provider's arm answers where it has checked an access token. */
export async function startOAuthArms(testbed: Testbed, name: string, body = '{}'): Promise<Arms> {
  const { host, port, database, user, password = '' } = parseDatabaseUrl(testbed.databaseUrl);
  const sql = postgres({ host, port, database, user, password, fetch_types: false, onnotice: () => {} });
  await createModelTable(sql);
  const ours = await startArm('service.ts', {
    DATABASE_URL: testbed.databaseUrl,
    SOURCE: 'none',
    LOG_LEVEL: 'warn',
    TRUSTED_PROXIES: '127.0.0.1',
    TIERS_FILE: await writeTiers(testbed, name, TIERS),
    DATA_DIR: join(testbed.folder, name),
  });
  const theirs = await startArm('oauth/peer-arm.ts', { DATABASE_URL: testbed.databaseUrl, BODY: body });
  const arms: Arms = {
    ours: { arm: ours, seed: ourSeed(testbed, ours.url) },
    theirs: { arm: theirs, seed: peerSeed(sql) },
    async stop() {
      await Promise.all([ours.stop(), theirs.stop(), sql.end()]);
    },
  };
  await requireSameWork(testbed, arms);
  return arms;
}

/** Fresh tokens each time, and a refresh token that was replaced gives none; what is answered is on the disk in both. */
async function requireSameWork(testbed: Testbed, { ours, theirs }: Arms): Promise<void> {
  for (const { arm, seed } of [ours, theirs]) {
    for (const kind of ['refresh', 'code'] as const) {
      const [body = ''] = await seed(kind, 1);
      const first = await tokensOf(arm, body);
      const second = await tokensOf(arm, REFRESH_PREFIX + first.refresh_token);
      const third = await tokensOf(arm, REFRESH_PREFIX + second.refresh_token);
      const all = [first, second, third].flatMap((tokens) => [tokens.access_token, tokens.refresh_token]);
      assert.equal(new Set(all).size, 6, 'every exchange gives fresh tokens');
      assert.equal((await exchange(arm, REFRESH_PREFIX + first.refresh_token)).status, 400);
      assert.equal(
        (await exchange(arm, REFRESH_PREFIX + third.refresh_token)).status,
        400,
        'the family ended',
      );
    }
  }
  const settings = await durability(testbed);
  assert.deepEqual(settings, ['on', 'on', 'on'], 'what is answered is on the disk');
}

/** fsync, synchronous_commit, full_page_writes: of the one server that both use; neither changes them for its sessions. */
export async function durability({ database }: Testbed): Promise<string[]> {
  const [row] = await database.read(
    (sql) => sql<{ settings: string[] }[]>`
      select array[current_setting('fsync'), current_setting('synchronous_commit'),
        current_setting('full_page_writes')] as settings`,
  );
  return row?.settings ?? [];
}

export interface Pair {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** The tokens of an exchange, which has to succeed. */
export async function tokensOf(arm: Arm, body: string): Promise<Pair> {
  const answer = await exchange(arm, body);
  const tokens: Partial<Pair> = JSON.parse(await answer.text());
  const { access_token, refresh_token } = tokens;
  if (access_token === undefined || refresh_token === undefined)
    throw new Error(`No tokens: ${answer.status} ${JSON.stringify(tokens)}`);
  return { access_token, refresh_token };
}

function exchange(arm: Arm, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return fetch(`${arm.url}/oauth/token`, { method: 'POST', headers, body });
}
