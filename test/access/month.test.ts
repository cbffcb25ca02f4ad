// Proof that the month's quota is exact over several processes, which are limiters of their own on one database.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { RateLimiter } from '../../src/access/limits/rate-limiter.ts';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { anonymous, type Principal, TIERS, type Tier, type Tiers } from '../../src/access/tiers/tiers.ts';
import { Problem } from '../../src/lib/problem.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const MONTH = { credentials: 'optional', counts: 'month' } as const;

const { database } = await testDatabase({ after });
let accounts = 0;

/** Several limiters with one clock: what several processes are. Minutes do not matter here. */
function setUp(
  options: {
    tiers?: Partial<Record<Tier, { minute?: number; month?: number | null }>>;
    processes?: number;
  } = {},
) {
  const clock = manualClock();
  const entries = Object.entries(TIERS).map(([tier, plan]) => {
    return [tier, { ...plan, minute: 60_000, ...options.tiers?.[tier as Tier] }];
  });
  const tiers = Object.fromEntries(entries) as Tiers;
  const rules = { clock, tiers, database, report: (error: unknown) => assert.fail(String(error)) };
  const processes = Array.from({ length: options.processes ?? 1 }, () => new RateLimiter(rules));
  const [limits = new RateLimiter(rules)] = processes;
  return { clock, processes, limits, rules };
}

function subscriber(tier: Tier): Principal {
  const name = `sub_${++accounts}`;
  return {
    kind: 'key',
    tier,
    account: `sub:${name}`,
    subscription: name,
    owner: null,
    grant: null,
    scopes: null,
    reach: EVERYTHING,
  };
}

async function ask(
  limits: RateLimiter,
  caller: Principal,
): Promise<Readonly<Record<string, string>> | Problem> {
  try {
    return await limits.admit(caller, MONTH);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Asks so often at once; gives how many were admitted. */
async function burst(limits: RateLimiter, caller: Principal, requests: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: requests }, () => ask(limits, caller)));
  const refusals = answers.filter((answer) => answer instanceof Problem);
  for (const refusal of refusals) assert.equal(refusal.status, 429, refusal.message);
  return answers.length - refusals.length;
}

async function used(caller: Principal, month = '2026-01-01'): Promise<number> {
  const rows = await database.read(
    (sql) => sql`select used from monthly_usage where account = ${caller.account} and month = ${month}::date`,
  );
  return Number(rows[0]?.used ?? 0);
}

describe('the monthly quota', () => {
  test('is admitted exactly by one process, whatever comes at once', async () => {
    for (const month of [1, 3, 49, 50, 51, 777]) {
      const { limits } = setUp({ tiers: { pro: { month } } });
      const caller = subscriber('pro');
      assert.equal(await burst(limits, caller, month + 20), month);
      assert.equal(await used(caller), month);
    }
  });

  test('is admitted exactly by two processes together, while each gets more requests than it has leased', async () => {
    for (const month of [40, 200, 1_500]) {
      const { processes } = setUp({ tiers: { pro: { month, minute: 2_400 } }, processes: 2 });
      const caller = subscriber('pro');
      // Either alone could spend the month, so that neither runs out of callers with part of a block unspent.
      const admitted = await Promise.all(processes.map((limits) => burst(limits, caller, month + 100)));
      assert.equal(
        admitted.reduce((sum, each) => sum + each, 0),
        month,
      );
      assert.equal(await used(caller), month);
    }
  });

  test('loses at most one block with a process that dies, and none with one that closes', async () => {
    const month = 5_000;
    const second = 20;
    const { rules } = setUp({ tiers: { business: { month, minute: 60 * second } } });
    const caller = subscriber('business');
    let admitted = 0;
    for (let round = 0; round < 10; round++) admitted += await burst(new RateLimiter(rules), caller, 21);
    const lost = (await used(caller)) - admitted;
    assert.ok(lost > 0 && lost <= 10 * second, `${lost} lost by ten deaths`);
    for (let round = 0; round < 10; round++) {
      const limits = new RateLimiter(rules);
      admitted += await burst(limits, caller, 21);
      await limits.close();
    }
    assert.equal(await used(caller), admitted + lost, 'closing gave everything back');
  });

  test('is shown as it is when a request is admitted, where that had to wait over the turn of the month', async () => {
    const { limits, clock } = setUp({ tiers: { business: { month: 400 } } });
    const caller = subscriber('business');
    clock.advance(Date.UTC(2026, 1, 1) - 1 - clock.now());
    const before = ask(limits, caller);
    clock.advance(10);
    const answers = await Promise.all([before, ask(limits, caller)]);
    for (const headers of answers) {
      assert.ok(!(headers instanceof Problem));
      assert.match(headers['ratelimit-policy'] ?? '', new RegExp(`"month";q=400;w=${28 * 86_400}$`));
    }
  });

  test('is taken in blocks of a fiftieth of the rest, at most a second of the rate, and singly near the end', async () => {
    const steps: [month: number, minute: number, block: number][] = [
      [49, 6_000, 1],
      [100, 6_000, 2],
      [5_000, 6_000, 100],
      [50_000, 300, 5],
      [100, 10, 1],
    ];
    for (const [month, minute, block] of steps) {
      const { limits } = setUp({ tiers: { pro: { month, minute } } });
      const caller = subscriber('pro');
      await ask(limits, caller);
      assert.equal(await used(caller), block, `${month} a month, ${minute} a minute`);
    }
  });

  test('is given back by a caller who falls silent', async () => {
    const { clock, limits } = setUp({ tiers: { pro: { month: 5_000 } } });
    const [silent, other] = [subscriber('pro'), subscriber('pro')];
    await ask(limits, silent);
    assert.equal(await used(silent), 100);
    for (let minute = 0; minute < 2; minute++) {
      clock.advance(60_000);
      await ask(limits, other);
    }
    await limits.close();
    assert.equal(await used(silent), 1);
  });

  test('begins anew with the UTC month, and a refused caller learns how long that takes', async () => {
    const { clock, limits } = setUp({ tiers: { free: { month: 2 } } });
    const caller = subscriber('free');
    clock.advance(Date.UTC(2026, 0, 31, 23, 59, 50) - clock.now());
    assert.equal(await burst(limits, caller, 3), 2);
    const refusal = await ask(limits, caller);
    assert.ok(refusal instanceof Problem);
    assert.equal(refusal.code, 'QUOTA_EXCEEDED');
    assert.deepEqual(refusal.members, { violatedPolicies: ['month'] });
    assert.equal(refusal.headers['retry-after'], '10');
    assert.equal(refusal.headers.ratelimit, '"minute";r=59998;t=60, "month";r=0;t=10');
    clock.advance(9_999);
    assert.ok((await ask(limits, caller)) instanceof Problem);
    clock.advance(1);
    assert.equal(await burst(limits, caller, 3), 2);
    assert.equal(await used(caller), 2);
    assert.equal(await used(caller, '2026-02-01'), 2);
  });

  test('is shown with every answer, as far as this process knows', async () => {
    const { limits } = setUp({ tiers: { anonymous: { minute: 10 } } });
    const headers = await ask(limits, anonymous('192.0.2.77'));
    const end = (Date.UTC(2026, 1, 1) - Date.UTC(2026, 0, 5, 12)) / 1000;
    assert.deepEqual(headers, {
      'ratelimit-policy': '"minute";q=10;w=60, "month";q=100;w=2678400',
      ratelimit: `"minute";r=9;t=60, "month";r=99;t=${end}`,
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': '60',
    });
  });

  test('is not charged for a request that the minute refuses, nor the minute for one that the month refuses', async () => {
    const first = setUp({ tiers: { pro: { minute: 5, month: 50 } } });
    const hasty = subscriber('pro');
    assert.equal(await burst(first.limits, hasty, 30), 5);
    assert.equal(await used(hasty), 5);
    const second = setUp({ tiers: { pro: { minute: 10, month: 2 } } });
    const spent = subscriber('pro');
    assert.equal(await burst(second.limits, spent, 8), 2);
    const { minute } = await second.limits.statuses(spent);
    assert.equal(minute?.remaining, 8);
  });

  test('follows a change of tier: a higher one has more left, a lower one may have nothing', async () => {
    const { limits, clock } = setUp({ tiers: { free: { month: 10 }, pro: { month: 5_000 } } });
    const caller = subscriber('free');
    const upgraded: Principal = { ...caller, tier: 'pro' };
    assert.equal(await burst(limits, caller, 20), 10);
    assert.equal(await burst(limits, upgraded, 20), 20);
    assert.equal(await burst(limits, caller, 5), 0, 'thirty are more than ten');
    clock.advance(1);
    // What was taken for the higher tier is given back behind the scenes.
    const remaining = async () => {
      const { month } = await limits.statuses(upgraded);
      return month?.remaining === 4_970;
    };
    await until('all but thirty are left', remaining);
  });

  test('that was used up is read again after ten seconds, in case another process gave some back', async () => {
    const { clock, processes } = setUp({ tiers: { pro: { month: 5_000, minute: 60_000 } }, processes: 2 });
    const [one, two] = processes;
    assert.ok(one !== undefined && two !== undefined);
    const caller = subscriber('pro');
    await ask(one, caller);
    assert.equal(await burst(two, caller, 5_000), 4_900);
    await one.close();
    assert.ok((await ask(two, caller)) instanceof Problem, 'not read at once');
    clock.advance(10_000);
    assert.equal(await burst(two, caller, 200), 99);
  });

  test('is not named by a refusal of the minute, once another process has given some of it back', async () => {
    const { clock, processes } = setUp({ tiers: { pro: { month: 130, minute: 120 } }, processes: 2 });
    const [one, two] = processes;
    assert.ok(one !== undefined && two !== undefined);
    const caller = subscriber('pro');
    await ask(one, caller);
    assert.equal(await burst(two, caller, 8), 8);
    clock.advance(60_000);
    assert.equal(await burst(two, caller, 130), 120);
    const both = await ask(two, caller);
    assert.ok(both instanceof Problem);
    assert.deepEqual([both.code, both.members.violatedPolicies], ['QUOTA_EXCEEDED', ['minute', 'month']]);
    await one.close();
    clock.advance(15_000);
    const refusal = await ask(two, caller);
    assert.ok(refusal instanceof Problem);
    assert.deepEqual([refusal.code, refusal.members.violatedPolicies], ['RATE_LIMITED', ['minute']]);
    assert.equal(refusal.headers['retry-after'], '45');
    clock.advance(45_000);
    assert.equal(await burst(two, caller, 10), 1);
  });

  test('cannot be counted without the database: 503 once the block is spent, and nothing is charged', async () => {
    const gone = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing', timeout: 1_000 });
    const { rules } = setUp();
    const limits = new RateLimiter({ ...rules, database: gone });
    const caller = subscriber('pro');
    const refusal = await ask(limits, caller);
    assert.ok(refusal instanceof Problem);
    assert.equal(refusal.code, 'DATABASE_UNAVAILABLE');
    assert.ok(Object.keys(refusal.headers).some((name) => name.toLowerCase() === 'retry-after'));
    const headers = await limits.admit(caller, { credentials: 'required', counts: 'minute' });
    assert.equal(headers['x-ratelimit-remaining'], '59999', 'the refused request took no place');
    await gone.close(0);
  });

  test('lets ten thousand requests of a caller wait at once, and answers one more with a 503', async () => {
    const { limits } = setUp();
    const caller = subscriber('pro');
    const answers = await Promise.all(Array.from({ length: 10_001 }, () => ask(limits, caller)));
    const refused = answers.filter((answer) => answer instanceof Problem);
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['DATABASE_UNAVAILABLE'],
    );
  });

  test('keeps nobody waiting for more than ten seconds: who came first is served, the others get a 503', async () => {
    const { clock, limits } = setUp({ tiers: { free: { month: 40 } } });
    const caller = subscriber('free');
    await ask(limits, caller);
    const answers = await database.transaction(async (tx) => {
      await tx`select from monthly_usage where account = ${caller.account} for update`;
      const waiting = Array.from({ length: 3 }, () => ask(limits, caller));
      clock.advance(10_001);
      return { waiting };
    });
    const codes = (await Promise.all(answers.waiting)).map((each) => each instanceof Problem && each.code);
    assert.deepEqual(codes, [false, 'DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE']);
    assert.equal(await used(caller), 2);
  });
});
