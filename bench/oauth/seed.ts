// Grants, tokens and codes of the OAuth comparisons, as request bodies that are used once.

import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { hashSecret } from '../../src/lib/secrets.ts';
import { createSecret } from '../../src/oauth/protocol/tokens.ts';
import type { Testbed } from '../testbed.ts';
import { type StoredModel, upsertModels } from './adapter.ts';
import { CLIENT, createPeer, REDIRECT_URI, SCOPE } from './peer.ts';

/** Paying callers, among whom our grants are shared out. */
const SUBSCRIPTIONS = 1_000;
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export const REFRESH_PREFIX = `grant_type=refresh_token&client_id=${CLIENT}&refresh_token=`;
const CODE_PREFIX =
  `grant_type=authorization_code&client_id=${CLIENT}&code_verifier=${VERIFIER}` +
  `&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&code=`;

/** What is seeded: a refresh token of a grant, or a code of one. */
export type Kind = 'refresh' | 'code';
/** Makes so many requests' bodies, each good for one exchange. */
export type Seed = (kind: Kind, count: number) => Promise<string[]>;

/** Ours: every grant has a subscription, whose provider is asked at each refresh. */
export function ourSeed({ database }: Testbed, publicUrl: string): Seed {
  return async (kind, count) => {
    const secrets = Array.from({ length: count }, () => createSecret(kind === 'code' ? 'ac' : 'rt'));
    const hashes = secrets.map(hashSecret);
    await database.transaction(async (sql) => {
      await sql`
        insert into subscription (id, tier, key_hash, key_hint, created_at)
        select 'sub_' || lpad(to_hex(n), 24, '0'), 'pro', sha256(int8send(n)), 'seed', now()
        from generate_series(1, ${SUBSCRIPTIONS}::int8) n on conflict do nothing`;
      const grants = await sql<{ id: number }[]>`
        insert into oauth_grant (client_id, redirect_uri, scope, resources, tier, subscription, created_at, renewed_at,
          expires_at)
        select ${CLIENT}, ${REDIRECT_URI}, 'listings:read', array[${publicUrl}, ${`${publicUrl}/mcp`}], 'pro',
          'sub_' || lpad(to_hex(n % ${SUBSCRIPTIONS}::int8 + 1), 24, '0'), now(), now(), now() + interval '31 days'
        from generate_series(1, ${count}::int8) n returning id`;
      const first = grants[0]?.id ?? 0;
      const rows = sql`unnest(${hashes}::bytea[]) with ordinality as row (hash, n)`;
      if (kind === 'refresh')
        await sql`
          insert into oauth_refresh_token (hash, grant_id, expires_at)
          select hash, ${first}::int8 + n - 1, now() + interval '30 days' from ${rows}`;
      else
        await sql`
          insert into oauth_code (hash, grant_id, challenge, expires_at)
          select hash, ${first}::int8 + n - 1, ${CHALLENGE}, now() + interval '5 minutes' from ${rows}`;
    });
    return secrets.map((secret) => (kind === 'code' ? CODE_PREFIX : REFRESH_PREFIX) + secret);
  };
}

/** Theirs: written by the package itself, its records collected and stored at once. */
export function peerSeed(sql: postgres.Sql): Seed {
  const stored: StoredModel[] = [];
  const none = async () => undefined;
  const peer = createPeer('http://127.0.0.1:1', (model) => ({
    async upsert(id, payload, expiresIn) {
      stored.push({ model, id, payload, expiresIn });
    },

    find: none,
    findByUid: none,
    findByUserCode: none,
    consume: none,
    destroy: none,
    revokeByGrantId: none,
  }));
  return async (kind, count) => {
    const client = await peer.Client.find(CLIENT);
    const bodies: string[] = [];
    for (let number = 0; number < count; number++) {
      const accountId = `account-${number % SUBSCRIPTIONS}`;
      const grant = new peer.Grant({ accountId, clientId: CLIENT });
      grant.addOIDCScope(SCOPE);
      const now = Math.floor(Date.now() / 1000);
      const facts = {
        accountId,
        client,
        grantId: await grant.save(30 * 86_400),
        scope: SCOPE,
        authTime: now,
      };
      if (kind === 'refresh') {
        const more = { gty: 'authorization_code', iiat: now, rotations: 0 };
        bodies.push(REFRESH_PREFIX + (await new peer.RefreshToken({ ...facts, ...more }).save(30 * 86_400)));
      } else {
        const proof = { codeChallenge: CHALLENGE, codeChallengeMethod: 'S256', redirectUri: REDIRECT_URI };
        bodies.push(CODE_PREFIX + (await new peer.AuthorizationCode({ ...facts, ...proof }).save(300)));
      }
    }
    await upsertModels(sql, stored.splice(0));
    return bodies;
  };
}
