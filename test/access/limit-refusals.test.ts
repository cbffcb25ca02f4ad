// Proof that the answer to a refused caller names the policy that refused it and the seconds that it has to wait, over two processes.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';
import { type LimitedAnswer, startGuardedProcess } from '../support/service/guarded-processes.ts';

const MINUTE = 60_000;
/** Milliseconds for which an exhausted month is refused without a read of the database. */
const PAUSE = 10_000;
const MINUTE_QUOTA = 6;
const MONTH_QUOTA = 20;
const START = Date.UTC(2026, 0, 5, 12);

/** Milliseconds since the start, on the clock that both processes have. */
let elapsed = 0;
let callers = 0;

/** Keeps every state of a month's count, since what one process gives back soon hides that the month was used up. */
const RECORD_COUNTS = `
  create table count_state (id bigserial primary key, account text not null, month date not null, used int not null);
  create function record_count() returns trigger language plpgsql as $$
    begin
      insert into count_state (account, month, used) values (new.account, new.month, new.used);
      return new;
    end $$;
  create trigger record_count after insert or update on monthly_usage for each row execute function record_count()`;

const { database, url } = await testDatabase({ after });
await database.write((sql) => sql.unsafe(RECORD_COUNTS));
const options = {
  databaseUrl: url,
  start: START,
  anonymous: { minute: MINUTE_QUOTA, month: MONTH_QUOTA },
};
const processes = await Promise.all([1, 2].map(() => startGuardedProcess({ after }, options)));

/** The month's last millisecond, and the name that its counts have. */
function month(): { readonly end: number; readonly name: string } {
  const now = new Date(START + elapsed);
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - START;
  return { end, name: first.toISOString().slice(0, 10) };
}

async function advance(milliseconds: number): Promise<void> {
  elapsed += milliseconds;
  await Promise.all(processes.map((each) => each.advance(milliseconds)));
}

/** One address as a plain model knows it: admissions by process and by month, and when its month was last used up. */
class Caller {
  readonly address = `10.${(++callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`;
  readonly #admissions: readonly number[][] = [[], []];
  readonly #admittedInMonth = new Map<string, number>();
  #month = '';
  #seen = 0;
  #used = 0;
  #fullAt = Number.NEGATIVE_INFINITY;

  /** Asks both processes at once, so many times each, and holds every answer against the model. */
  async ask(requests: readonly [number, number]): Promise<readonly LimitedAnswer[][]> {
    if (this.#used === MONTH_QUOTA && this.#month === month().name) this.#fullAt = elapsed;
    const answers = await Promise.all(
      processes.map((each, index) => each.ask(this.address, requests[index] ?? 0)),
    );
    await this.#readCounts();
    for (const [index, own] of answers.entries()) this.#check(index, own);
    const admitted = this.#admittedInMonth.get(month().name) ?? 0;
    assert.ok(admitted <= MONTH_QUOTA, `${admitted} in a month`);
    return answers;
  }

  async #readCounts(): Promise<void> {
    const { name } = month();
    if (name !== this.#month) [this.#month, this.#used, this.#fullAt] = [name, 0, Number.NEGATIVE_INFINITY];
    const states = await database.read(
      (sql) => sql<{ id: number; used: number }[]>`
        select id::int, used from count_state
        where account = ${`ip:${this.address}`} and month = ${name}::date and id > ${this.#seen} order by id`,
    );
    for (const { id, used } of states) {
      [this.#seen, this.#used] = [id, used];
      if (used === MONTH_QUOTA) this.#fullAt = elapsed;
    }
  }

  #check(index: number, answers: readonly LimitedAnswer[]): void {
    const admitted = answers.filter(({ status }) => status === 200).length;
    const admissions = this.#admissions[index] ?? [];
    admissions.push(...Array.from({ length: admitted }, () => elapsed));
    const { name } = month();
    this.#admittedInMonth.set(name, (this.#admittedInMonth.get(name) ?? 0) + admitted);
    const inMinute = admissions.filter((time) => time > elapsed - MINUTE);
    assert.ok(inMinute.length <= MINUTE_QUOTA, `${inMinute.length} in a minute`);
    for (const answer of answers) if (answer.status !== 200) this.#checkRefusal(answer, inMinute);
  }

  #checkRefusal(answer: LimitedAnswer, inMinute: readonly number[]): void {
    const context = JSON.stringify(answer);
    assert.equal(answer.status, 429, context);
    const overMonth = answer.violatedPolicies.includes('month');
    const overMinute = inMinute.length === MINUTE_QUOTA;
    const violated = [...(overMinute ? ['minute'] : []), ...(overMonth ? ['month'] : [])];
    assert.deepEqual(answer.violatedPolicies, violated, context);
    assert.ok(violated.length > 0, context);
    assert.equal(answer.code, overMonth ? 'QUOTA_EXCEEDED' : 'RATE_LIMITED', context);
    if (overMonth) assert.ok(elapsed - this.#fullAt < PAUSE, `the month has requests left: ${context}`);
    const waits = [
      ...(overMinute ? [(inMinute[0] ?? 0) + MINUTE - elapsed] : []),
      ...(overMonth ? [month().end - elapsed] : []),
    ];
    assert.equal(answer.retryAfter, Math.ceil(Math.max(...waits) / 1000), context);
    assert.equal(/"month";r=0;/.test(answer.limits), overMonth, context);
  }
}

const codes = (answers: readonly LimitedAnswer[]) =>
  answers.map(({ status, code }) => code ?? status).toSorted();
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('a refused caller learns why', () => {
  test('by the minute, where a first burst is over it while the month is being read', async () => {
    const [answers = []] = await new Caller().ask([15, 0]);
    assert.deepEqual(codes(answers), [...times(6, 200), ...times(9, 'RATE_LIMITED')]);
    for (const { retryAfter } of answers) assert.ok(retryAfter === null || retryAfter === 60);
  });

  test('by the month, for as long as it lasts, also in a process where it had requests left at the last read', async () => {
    const caller = new Caller();
    await caller.ask([0, 1]);
    for (let left = MONTH_QUOTA - 1; left > 0; left -= MINUTE_QUOTA) {
      await caller.ask([Math.min(left, MINUTE_QUOTA), 0]);
      await advance(MINUTE);
    }
    for (const wait of [0, 1_000, PAUSE, MINUTE, 60 * MINUTE]) {
      await advance(wait);
      const answers = await caller.ask([2, 8]);
      assert.deepEqual(codes(answers.flat()), times(10, 'QUOTA_EXCEEDED'), `after ${wait} ms`);
    }
  });

  test('by the month alone, where a first burst comes when nothing is left of it', async () => {
    const caller = new Caller();
    for (let left = MONTH_QUOTA; left > 0; left -= MINUTE_QUOTA) {
      await caller.ask([Math.min(left, MINUTE_QUOTA), 0]);
      await advance(MINUTE);
    }
    const [, answers = []] = await caller.ask([0, 15]);
    assert.deepEqual(codes(answers), times(15, 'QUOTA_EXCEEDED'));
    for (const { violatedPolicies } of answers) assert.deepEqual(violatedPolicies, ['month']);
  });

  const burst = fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.nat({ max: 12 }) },
  );
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ ask: fc.tuple(burst, burst) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        wait: fc.oneof(
          fc.constantFrom(1, 999, PAUSE - 1, PAUSE, MINUTE - 1, MINUTE),
          fc.nat({ max: 3 * MINUTE }),
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ untilMonthEnds: fc.constantFrom(0, 1, 500, 1_000, 30_000) }) },
  );

  test('with the right policy and the right seconds, whatever comes when to which of two processes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }), async (steps) => {
        const caller = new Caller();
        for (const each of steps) {
          if ('ask' in each) await caller.ask(each.ask);
          else if ('wait' in each) await advance(each.wait);
          else await advance(Math.max(0, month().end - elapsed - each.untilMonthEnds));
        }
      }),
      runs(25, 20_261_122),
    );
  });
});
