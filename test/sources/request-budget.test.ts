// Proof that all processes together stay below what a source permits, that nothing is forgotten, and that what it says itself counts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openConnection } from '../../src/sources/budget/connection.ts';
import { RequestBudget, type RequestLimits } from '../../src/sources/budget/request-budget.ts';
import { slotWidth } from '../../src/sources/budget/windows.ts';
import { LiveError } from '../../src/sources/source.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const { database } = await testDatabase({ after });
const { signal } = new AbortController();
const HOUR: RequestLimits = {
  windows: [{ seconds: 3_600, requests: 20, bytes: 1_000 }],
  media: 'shared',
  suspends: false,
  headers: [{ seconds: 3_600, limit: 'Hour-Limit', remaining: 'Hour-Left' }],
};

function budgetOf(connection: string, limits: Partial<RequestLimits> = {}) {
  return new RequestBudget({
    database,
    clock: manualClock(),
    connection,
    limits: { ...HOUR, ...limits },
    live: true,
  });
}

/** Null: it was permitted; else the seconds that it has to wait. */
async function ask(budget: RequestBudget, kind: 'bulk' | 'live' | 'media' = 'bulk'): Promise<number | null> {
  try {
    await budget.permit(kind, signal);
    return null;
  } catch (error) {
    assert.ok(error instanceof LiveError && error.code === 'upstream_rate_limited', String(error));
    return Math.ceil((error.retryAfter ?? Number.NaN) / 1_000);
  }
}

/** Makes everything that was used older by these seconds. */
async function age(connection: string, seconds: number): Promise<void> {
  for (const window of [60, 3_600])
    await database.write(
      (sql) =>
        sql`update source_use set slot = slot - ${Math.ceil((seconds * 1_000) / slotWidth(window))}
          where connection = ${connection} and seconds = ${window}`,
    );
  await database.write(
    (sql) =>
      sql`update source_budget set blocked_until = blocked_until - ${seconds} * interval '1 second' where connection = ${connection}`,
  );
}

const answer = (headers: Record<string, string>, { status = 200, bytes = 0 } = {}) => ({
  status,
  bytes,
  headers,
  isToken: false,
});

test('two processes that ask at once get the limit together, the last tenth of it for people who wait', async () => {
  const processes = [budgetOf('together'), budgetOf('together')];
  const bulk = await Promise.all(
    Array.from({ length: 30 }, (_, at) => ask(processes[at % 2] ?? assert.fail())),
  );
  assert.equal(bulk.filter((wait) => wait === null).length, 18);
  assert.ok(bulk.every((wait) => wait === null || (wait > 3_500 && wait < 3_800)));
  await assert.rejects(processes[0]?.permit('bulk', signal) ?? assert.fail(), {
    message:
      /^What the source permits in 3600 s is used \(20 requests, 1000 bytes\): requests go on in \d+ s\.$/,
  });
  const live = await Promise.all(
    Array.from({ length: 4 }, (_, at) => ask(processes[at % 2] ?? assert.fail(), 'live')),
  );
  assert.equal(live.filter((wait) => wait === null).length, 2);
  assert.deepEqual((await budgetOf('together').read()).windows, [
    {
      share: 'requests',
      seconds: 3_600,
      requests: { used: 20, limit: 20 },
      bytes: { used: 0, limit: 1_000 },
    },
  ]);
  // A process that starts later forgets nothing, and another connection is not concerned.
  assert.notEqual(await ask(budgetOf('together'), 'live'), null);
  assert.equal(await ask(budgetOf('other')), null);
  await age('together', 3_800);
  assert.equal(await ask(processes[0] ?? assert.fail()), null);
});

test('bytes of answers count for everybody as soon as they are known', async () => {
  const [one, other] = [budgetOf('bytes'), budgetOf('bytes')];
  assert.equal(await ask(one), null);
  one.observed('bulk', answer({}, { bytes: 2_000 }));
  assert.notEqual(await ask(one), null);
  assert.notEqual(await ask(other), null);
});

test('numbers that the source states replace those of the profile both ways, and what others used is spared', async () => {
  const budget = budgetOf('stated');
  budget.observed('bulk', answer({ 'hour-limit': '3.0' }));
  assert.deepEqual([await ask(budget), await ask(budget), await ask(budget)], [null, null, null]);
  assert.notEqual(await ask(budget), null);
  budget.observed('bulk', answer({ 'hour-limit': '4000', 'hour-left': '3999' }));
  // The process that heard it knows it first.
  assert.deepEqual([await ask(budget), await ask(budgetOf('stated'))], [null, null]);
  budget.observed('bulk', answer({ 'hour-left': '10' }));
  const [hour] = (await budget.read()).windows;
  assert.deepEqual(hour?.requests, { used: 3_990, limit: 4_000 });
  assert.notEqual(await ask(budget), null, 'the tenth for people who wait is left');
  assert.equal(await ask(budget, 'live'), null);
});

test('a Retry-After holds for each process until it is over', async () => {
  const [one, other] = [budgetOf('retry'), budgetOf('retry')];
  one.observed('bulk', answer({ 'retry-after': '120' }, { status: 429 }));
  one.observed('bulk', answer({ 'retry-after': '5' }, { status: 503 }));
  const wait = await ask(one, 'live');
  assert.ok(wait !== null && wait > 100 && wait <= 120, String(wait));
  assert.notEqual(await ask(other, 'live'), null);
  await age('retry', 121);
  assert.equal(await ask(other, 'live'), null);
});

test('photos have windows of their own where the source says so, else they share those of data', async () => {
  const apart = budgetOf('apart', { media: [{ seconds: 60, requests: 2 }] });
  assert.deepEqual([await ask(apart, 'live'), await ask(apart, 'media')], [null, null]);
  const { windows } = await apart.read();
  assert.deepEqual(
    windows.map(({ share, requests }) => [share, requests]),
    [
      ['requests', { used: 1, limit: 20 }],
      ['media', { used: 1, limit: 2 }],
    ],
  );
  const shared = budgetOf('shared');
  await ask(shared, 'media');
  assert.deepEqual((await shared.read()).windows[0]?.requests, { used: 1, limit: 20 });
});

test('where the source suspends who exceeds it, a tenth is left alone', async () => {
  const budget = budgetOf('suspends', { suspends: true });
  const asked: (number | null)[] = [];
  for (let count = 0; count < 20; count++) asked.push(await ask(budget, 'live'));
  assert.equal(asked.filter((wait) => wait === null).length, 18);
  assert.notEqual(await ask(budget), null);
  await assert.rejects(budget.permit('bulk', signal), {
    message: /a tenth is left alone, since it suspends who exceeds it/,
  });
  const { stopped, suspendedAt } = await budgetOf('suspends', { suspends: true }).read();
  assert.match(stopped ?? '', /a tenth is left alone/);
  assert.equal(suspendedAt, null);
  assert.equal(
    (await budgetOf('suspends').read()).stopped,
    null,
    'where nothing is suspended, it only waits',
  );
});

test('a source that suspends and refuses is left alone, and a success shows that it has ended', async () => {
  const budget = budgetOf('suspended', { suspends: true });
  budget.observed('bulk', answer({}, { status: 429 }));
  const wait = await ask(budget, 'live');
  assert.ok(wait !== null && wait > 800 && wait <= 900, String(wait));
  const refused = await budget.read();
  assert.ok(refused.suspendedAt !== null && refused.blockedUntil !== null);
  assert.match(refused.stopped ?? '', /may be suspended/);
  await age('suspended', 901);
  budget.observed('bulk', answer({}));
  assert.deepEqual(await budget.read(), { ...refused, suspendedAt: null, blockedUntil: null, stopped: null });
});

test('without the database no request is sent', async () => {
  const gone = new RequestBudget({
    database: { ...database, transaction: () => Promise.reject(new Error('away')) },
    clock: manualClock(),
    connection: 'away',
    limits: HOUR,
    live: true,
  });
  await assert.rejects(gone.permit('live', signal), { code: 'fetch_failed' });
});

test('a token that is given while the API is down lets one request find out, and does not say that it is back', async () => {
  const clock = manualClock();
  const { hooks } = openConnection({
    database,
    clock,
    profile: { live: true, limits: { ...HOUR, windows: [] } },
    url: 'https://feed.example/odata',
    secrets: 'tokens',
  });
  const passes = (): Promise<boolean> =>
    hooks.permit('live', signal).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof LiveError && error.code === 'upstream_unavailable', String(error));
        return false;
      },
    );
  const tokenAnswers = (status: number) =>
    hooks.observed('live', { status, bytes: 0, headers: {}, isToken: true });
  const apiAnswers = (status: number) => hooks.observed('live', answer({}, { status }));
  for (let failure = 0; failure < 10; failure++) {
    tokenAnswers(200);
    apiAnswers(500);
  }
  assert.equal(await passes(), false, 'tokens in between begin no new count');
  clock.advance(10_000);
  assert.equal(await passes(), true, 'the request for a token');
  tokenAnswers(200);
  assert.deepEqual([await passes(), await passes()], [true, false], 'the request that the token is for');
  apiAnswers(500);
  assert.equal(await passes(), false);
  clock.advance(10_000);
  assert.equal(await passes(), true);
  tokenAnswers(400);
  assert.equal(await passes(), false, 'without a token there is no request to follow');
  clock.advance(10_000);
  assert.equal(await passes(), true);
  apiAnswers(404);
  assert.deepEqual([await passes(), await passes()], [true, true]);
});
