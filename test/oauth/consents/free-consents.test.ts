// Tests of the cap on grants without a key: per address and in all, and those in use stay.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import {
  endSurplusFreeGrants,
  findGrantState,
  setGrantWatched,
} from '../../../src/oauth/consents/grant-store.ts';
import { sweepAll } from '../../../src/oauth/token/sweep.ts';
import { runs } from '../../support/check/runs.ts';
import { testDatabase } from '../../support/database/database.ts';
import { authorizationRequest, LOOPBACK, sendJson } from '../../support/oauth/authorize.ts';
import {
  parseSession,
  redeem,
  refresh,
  refreshSession,
  type Session,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PER_ADDRESS = 10;
const IN_ALL = 30;

function start(t: Parameters<typeof startService>[0]): Promise<TestService> {
  return startService(t, {
    overrides: { freeGrantLimits: { perAddress: PER_ADDRESS, total: IN_ALL } },
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
  });
}

const service = await start({ after });

async function freeCode(place: TestService, address: string) {
  const { verifier, parameters } = authorizationRequest();
  const answer = await sendJson(place, { ...parameters, decision: 'free' }, { 'x-forwarded-for': address });
  const { code } = (await answer.json()) as { code: string };
  return { code, verifier, clientId: 'desktop-app', redirectUri: LOOPBACK };
}

async function freeSession(place: TestService, address: string): Promise<Session> {
  return parseSession(await redeem(place, await freeCode(place, address)), 'desktop-app');
}

/** One after the other, so that it is known which is the oldest. */
async function freeSessions(place: TestService, address: string, count: number): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let made = 0; made < count; made++) {
    sessions.push(await freeSession(place, address));
    place.clock.advance(1_000);
  }
  return sessions;
}

async function inForce(place: TestService): Promise<number> {
  const [row] = await place.database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from oauth_grant where subscription is null and revoked_at is null
        and expires_at > ${new Date(place.clock.now())}`,
  );
  return row?.count ?? 0;
}

/** Of each session, whether its access token is let in. */
async function standings(place: TestService, sessions: readonly Session[]): Promise<(number | string)[]> {
  return Promise.all(sessions.map(({ accessToken }) => statusOf(place, accessToken)));
}

test('RL7: an address that makes one grant without a key too many loses the one that was unused for longest', async (t) => {
  const own = await start(t);
  const neighbour = await freeSession(own, '192.0.2.1');
  const keyed = await signIn(own, { key: own.keys.pro });
  const sessions = await freeSessions(own, '192.0.2.2', PER_ADDRESS);
  assert.deepEqual(new Set(await standings(own, sessions)), new Set([200]));
  const [first = assert.fail(), ...others] = sessions;
  const added = await freeSession(own, '192.0.2.2');
  assert.equal(await statusOf(own, first.accessToken), 'INVALID_TOKEN');
  assert.equal((await refresh(own, first)).body.error, 'invalid_grant');
  assert.deepEqual(new Set(await standings(own, [...others, added, neighbour, keyed])), new Set([200]));
});

test('RL7: a flood from one address, all at once, leaves it as many as it may have', async (t) => {
  const own = await start(t);
  await Promise.all(Array.from({ length: 60 }, () => freeSession(own, '192.0.2.3').catch(() => null)));
  assert.equal(await inForce(own), PER_ADDRESS);
});

test('RL7: an app that was used on another day outlives a flood, from its own address and from many', async (t) => {
  const own = await start(t);
  const app = await freeSession(own, '192.0.2.4');
  own.clock.advance(25 * HOUR);
  const used = await refreshSession(own, app);
  await freeSessions(own, '192.0.2.4', 2 * PER_ADDRESS);
  for (let host = 1; host <= 2 * IN_ALL; host++) await freeSession(own, `198.51.100.${host}`);
  assert.equal(await inForce(own), IN_ALL);
  assert.equal((await refresh(own, used)).status, 200);
});

test('RL7: where all are used day by day, a new one still finds a place', async (t) => {
  const own = await start(t);
  const sessions = await freeSessions(own, '192.0.2.5', PER_ADDRESS);
  own.clock.advance(25 * HOUR);
  const used: Session[] = [];
  for (const session of sessions) used.push(await refreshSession(own, session));
  const added = await freeSession(own, '192.0.2.5');
  assert.equal(await inForce(own), PER_ADDRESS);
  assert.deepEqual(await standings(own, [added]), [200]);
  const statuses = await Promise.all(used.map(async (session) => (await refresh(own, session)).status));
  assert.deepEqual(statuses.toSorted(), [...Array.from({ length: PER_ADDRESS - 1 }, () => 200), 400]);
});

test('RL7: a grant with a watcher is not unused: it outlives a flood from its own address and from many', async (t) => {
  const own = await start(t);
  const app = await freeSession(own, '192.0.2.7');
  const [row] = await own.database.read(
    (sql) => sql<{ id: number }[]>`select max(id) as id from oauth_grant`,
  );
  const grant = row?.id ?? assert.fail();
  const now = () => new Date(own.clock.now());
  const setWatched = (watched: boolean) =>
    own.database.write((sql) => setGrantWatched(sql, String(grant), watched, now()));
  const state = () => own.database.read((sql) => findGrantState(sql, grant, now()));
  assert.equal(await setWatched(true), true);
  own.clock.advance(HOUR / 2);
  await freeSessions(own, '192.0.2.7', 2 * PER_ADDRESS);
  for (let host = 1; host <= 2 * IN_ALL; host++) await freeSession(own, `198.51.100.${host}`);
  assert.equal(await inForce(own), IN_ALL);
  assert.equal(await statusOf(own, app.accessToken), 200);
  assert.equal(await state(), 'active');
  assert.equal(await setWatched(false), true);
  await freeSessions(own, '192.0.2.7', PER_ADDRESS);
  assert.equal(await state(), 'revoked');
  assert.equal(await setWatched(true), false, 'a grant that has ended gets no watcher');
  await sweepAll(own);
  assert.equal(await state(), 'ended');
});

test('RL7, SE4: what made room is swept away at once, with its refresh tokens', async (t) => {
  const own = await start(t);
  const sessions = await freeSessions(own, '192.0.2.6', 2 * PER_ADDRESS);
  const kept = sessions.slice(PER_ADDRESS);
  for (const session of kept) await refreshSession(own, session);
  const keyed = await signIn(own, { key: own.keys.pro });
  await sweepAll(own);
  const [row] = await own.database.read(
    (sql) => sql`select (select count(*)::int from oauth_grant) as grants,
      (select count(*)::int from oauth_refresh_token) as tokens`,
  );
  assert.deepEqual({ ...row }, { grants: PER_ADDRESS + 1, tokens: 2 * PER_ADDRESS + 1 });
  assert.equal((await refresh(own, keyed)).status, 200);
});

interface Row {
  readonly address: number;
  readonly keyed: boolean;
  readonly revoked: boolean;
  readonly watched: boolean;
  /** Hours before now. */
  readonly created: number;
  readonly renewed: number;
  readonly expired: boolean;
}

const row: fc.Arbitrary<Row> = fc
  .record({
    address: fc.integer({ min: 1, max: 2 }),
    keyed: fc.boolean(),
    revoked: fc.boolean(),
    watched: fc.boolean(),
    created: fc.integer({ min: 1, max: 200 }),
    idle: fc.double({ min: 0, max: 1, noNaN: true }),
    expired: fc.boolean(),
  })
  .map(({ idle, ...rest }) => ({ ...rest, renewed: Math.round(rest.created * idle) }));

/** By hand: the proven ones up to their share, watched ones first, then by their last use; then the others in what is left. */
function survivors(
  rows: readonly (Row & { id: number })[],
  most: number,
  proven: number,
  address: number | null,
) {
  const counted = rows.filter(
    (each) => !each.keyed && !each.revoked && !each.expired && (address === null || each.address === address),
  );
  const latest = counted.toSorted(
    (a, b) => Number(b.watched) - Number(a.watched) || a.renewed - b.renewed || b.id - a.id,
  );
  const isProven = ({ watched, created, renewed }: Row) => watched || created - renewed > 1;
  const keptProven = latest.filter(isProven).slice(0, proven);
  const keptNew = latest.filter((each) => !isProven(each)).slice(0, most - keptProven.length);
  const kept = new Set([...keptProven, ...keptNew].map(({ id }) => id));
  const gone = new Set(counted.filter(({ id }) => !kept.has(id)).map(({ id }) => id));
  return rows.filter(({ revoked, id }) => !revoked && !gone.has(id)).map(({ id }) => id);
}

test('RL7: whatever grants there are, those stay that were used last, proven ones first up to their share', async (t) => {
  const { database } = await testDatabase(t);
  const now = new Date('2026-05-01T12:00:00Z');
  const ago = (hours: number) => new Date(now.getTime() - hours * HOUR);
  const hash = (address: number) => Buffer.alloc(32, address);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 40, size: 'max' }),
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(null, 1, 2),
      async (rows, most, address) => {
        const proven = Math.floor(most * 0.9);
        await database.write((sql) => sql`truncate oauth_grant, oauth_revocation restart identity`);
        for (const each of rows) {
          await database.write(
            (sql) => sql`
              insert into oauth_grant (client_id, redirect_uri, scope, resources, tier, subscription, address_hash,
                created_at, renewed_at, expires_at, revoked_at, revoked_for, watched)
              values ('app', 'http://localhost/', 'listings:read', '{x}', 'free', ${each.keyed ? 'sub' : null},
                ${each.keyed ? null : hash(each.address)}, ${ago(each.created)}, ${ago(each.renewed)},
                ${each.expired ? now : ago(-DAY / HOUR)}, ${each.revoked ? now : null},
                ${each.revoked ? 'client_request' : null}, ${each.watched})`,
          );
        }
        const addressHash = address === null ? null : hash(address);
        await database.write((sql) =>
          endSurplusFreeGrants(sql, { addressHash, max: most, maxProven: proven, now }),
        );
        const left = await database.read(
          (sql) => sql<{ id: number }[]>`select id from oauth_grant where revoked_at is null order by id`,
        );
        const numbered = rows.map((each, index) => ({ ...each, id: index + 1 }));
        assert.deepEqual(
          left.map(({ id }) => id),
          survivors(numbered, most, proven, address),
        );
      },
    ),
    runs(40, 20_261_123),
  );
});

test('RL7: grants that made room are counted among the revocations', async () => {
  await freeSessions(service, '192.0.2.9', PER_ADDRESS + 1);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  assert.ok(metrics.includes('freehold_oauth_revocations_total{reason="crowded_out"} 1'));
});
