// Proof with two processes that an owner has exactly as many watchers as its plan allows, and sees those of nobody else. R38.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PLANS, TIERS } from '../../src/access/tiers/tiers.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { testDatabase } from '../support/database/database.ts';
import { signIn } from '../support/oauth/oauth.ts';
import type { TestService } from '../support/service/service.ts';
import { startWatchProcess } from '../support/watch/processes.ts';
import { sendWatcher, subscriber } from '../support/watch/watchers.ts';

const { database, url: databaseUrl } = await testDatabase({ after });
const at = { database, clock: systemClock } as unknown as TestService;
const { subscribe } = subscriber(at);
const ids = await writer(at)(draft('one', { listPrice: 100_000 }));
const target = { type: 'listing', listingId: ids.get('one') ?? '' };
const processes = [
  await startWatchProcess({ after }, databaseUrl),
  await startWatchProcess({ after }, databaseUrl),
] as const;
const [one, two] = processes;
const place = (index: number) => processes[index % 2] ?? one;

/** Sends so many at once over both processes, with these credentials in turn; gives how often each outcome came. */
async function createMany(number: number, credentials: readonly string[]): Promise<Record<string, number>> {
  const answers = await Promise.all(
    Array.from({ length: number }, (_, index) => {
      const key = credentials[index % credentials.length];
      return sendWatcher(place(index), 'POST', '', { key, body: { target } });
    }),
  );
  const outcomes: Record<string, number> = {};
  for (const { status, code } of answers) {
    const outcome = `${status} ${code}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

test('of 100 creations at once over two processes a Pro owner gets 25, also with several keys of a customer', async () => {
  const keys = [
    await subscribe('pro', 'acme'),
    await subscribe('free', 'acme'),
    await subscribe('pro', 'acme'),
  ];
  const outcomes = await createMany(
    100,
    keys.map(({ key }) => key),
  );
  assert.deepEqual(outcomes, { '201 null': 25, '403 TIER_RESTRICTED': 75 });
  const refused = await sendWatcher(one, 'POST', '', { key: keys[0]?.key, body: { target } });
  assert.match(refused.detail, /Pro tier allows 25 watchers/);
});

test('grants without a key share the one watcher of their address', async () => {
  const sessions = [await signIn(one), await signIn(two), await signIn(one)];
  const tokens = sessions.map(({ accessToken }) => accessToken);
  assert.deepEqual(await createMany(12, tokens), { '201 null': 1, '403 TIER_RESTRICTED': 11 });
  const owners = await Promise.all(
    tokens.map(async (key) => {
      const { watcher } = await sendWatcher(one, 'GET', '', { key });
      return (watcher as unknown as { data: unknown[] }).data.length;
    }),
  );
  assert.deepEqual(owners.toSorted(), [0, 0, 1], 'and each sees its own alone');
});

test('each tier has the number of its row in the table', async () => {
  for (const plan of PLANS.filter((each) => each !== 'business')) {
    const { key } = await subscribe(plan);
    const { watchers } = TIERS[plan];
    const outcomes = await createMany((watchers ?? 40) + 5, [key]);
    const created = watchers ?? 45;
    assert.deepEqual(outcomes, {
      '201 null': created,
      ...(watchers !== null && { '403 TIER_RESTRICTED': 5 }),
    });
  }
});

test('R38: whatever an owner sends about the watcher of another is answered as for an unknown id, and does nothing', async () => {
  const callers = await Promise.all(PLANS.map(async (plan) => (await subscribe(plan)).key));
  callers.push((await signIn(one)).accessToken, (await signIn(two, { key: callers[1] ?? '' })).accessToken);
  const { key } = await subscribe('pro');
  const { watcher } = await sendWatcher(one, 'POST', '', { key, body: { target } });
  const unknown = `wat_${'0'.repeat(24)}`;
  const document = (await (await fetch(`${one.url}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: object }>>>>;
  };
  const routes = Object.entries(document.paths).flatMap(([path, methods]) => {
    const [, below] = /^\/v1\/watchers\/\{id\}(.*)$/.exec(path) ?? [];
    if (below === undefined) return [];
    return Object.entries(methods).map(([method, { requestBody }]) => {
      return [method.toUpperCase(), below, requestBody && { name: 'mine' }] as const;
    });
  });
  assert.ok(routes.length >= 6, 'every route with the id of a watcher');
  for (const [method, path, body] of routes)
    for (const caller of callers) {
      const [foreign, missing] = await Promise.all(
        [watcher.id, unknown].map((id) =>
          sendWatcher(two, method, `/${id}${path}`, { key: caller, body, headers: { 'if-match': '"x"' } }),
        ),
      );
      assert.equal(foreign?.code, 'WATCHER_NOT_FOUND', `${method} ${path}: ${foreign?.text}`);
      const bytes = [foreign, missing].map((answer) => answer?.text.replace(/req_[\w-]+/, ''));
      assert.equal(bytes[0], bytes[1], 'the same bytes');
    }
  const { watcher: now } = await sendWatcher(one, 'GET', `/${watcher.id}`, { key });
  assert.deepEqual(now, watcher);
});
