// Proves that crossings are neither lost nor told twice when the processes that evaluate conditions are killed between any two steps.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { HOUR } from '../../../src/lib/clock.ts';
import type { EvaluationStep } from '../../../src/watch/market/evaluate-conditions.ts';
import { createRandom } from '../../support/check/random.ts';
import { poll, until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { type Child, startProgram } from '../../support/process/children.ts';
import {
  createMarketWatcher,
  crossingKey,
  crossings,
  marketTarget,
} from '../../support/watch/market-conditions.ts';

const t = { after };
const { database, url } = await testDatabase(t);
const random = createRandom(21);
const AREAS = Array.from({ length: 6 }, (_, at) => `area-${at}`);
/** More than are evaluated in one transaction. */
const WATCHERS = 700;

await database.transaction(async (tx) => {
  await tx`create table test_time (now bigint not null)`;
  await tx`create table test_figure (area text primary key, value float8)`;
  await tx`create table test_computation (area text not null, at bigint not null)`;
  await tx`insert into test_time values (0)`;
});

interface Watched {
  readonly id: string;
  readonly area: string;
  readonly threshold: number;
}
const watched: Watched[] = [];
let now = Date.UTC(2026, 0, 5, 12);
for (let at = 0; at < WATCHERS; at++) {
  // Most compare one figure: it is evaluated in several transactions.
  const area = at < 600 ? 'area-0' : random.pick(AREAS);
  const threshold = random.below(9) + 0.5;
  const { id } = await createMarketWatcher(
    database,
    marketTarget(area, { op: 'above', value: threshold }),
    now,
  );
  watched.push({ id, area, threshold });
}

const figures = new Map<string, number>();
const expected: string[] = [];

/** An hour passes, and every figure is another one; `first`: that which most watchers compare, and which is computed first. */
async function nextHour(first?: number): Promise<void> {
  now += HOUR;
  const before = new Map(figures);
  for (const area of AREAS) figures.set(area, (random.below(10) + (figures.get(area) ?? 0) + 1) % 10);
  if (first !== undefined) figures.set('area-0', first);
  await database.transaction(async (tx) => {
    for (const [area, value] of figures)
      await tx`insert into test_figure values (${area}, ${value}) on conflict (area) do update set value = excluded.value`;
    await tx`update test_time set now = ${now}`;
  });
  for (const { id, area, threshold } of watched) {
    const [previous, value] = [before.get(area), figures.get(area) ?? 0];
    if (previous !== undefined && previous <= threshold && value > threshold)
      expected.push(crossingKey(id, now, { value, previous }));
  }
}

async function evaluated(): Promise<void> {
  await until('all figures are evaluated', async () => {
    const [row] = await database.read(
      (sql) => sql<{ due: number }[]>`
          select count(*)::int as due from watch_figure where due_at <= ${new Date(now)}`,
    );
    return row?.due === 0;
  });
}

async function compare(what: string): Promise<void> {
  const told = await crossings(database);
  const [lost, extra] = [
    expected.filter((key) => !told.includes(key)).length,
    told.filter((key) => !expected.includes(key)).length,
  ];
  const repeated = told.length - new Set(told).size;
  console.log(`${what}: ${told.length} crossings, lost ${lost}, extra ${extra}, repeated ${repeated}`);
  assert.deepEqual({ lost, extra, repeated }, { lost: 0, extra: 0, repeated: 0 });
}

async function startChild(): Promise<Child> {
  const child = startProgram(t, 'watch/market-child.ts', [JSON.stringify({ url })]);
  assert.equal(await child.line(), 'ready');
  return child;
}

/** The lease ends as it would some time after its process has died. */
const endLease = () =>
  database.write((sql) => sql`update work_lease set leased_until = clock_timestamp() - interval '1 second'`);

/** Computations of each figure in this hour. */
async function computations(): Promise<number[]> {
  const rows = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from test_computation where at = ${now} group by area order by 1`,
  );
  return rows.map(({ count }) => count);
}

let children = [await startChild(), await startChild()];

test('two processes compute each figure once an hour, whatever the number of its watchers', async () => {
  for (let hour = 0; hour < 4; hour++) {
    await nextHour();
    await evaluated();
    assert.deepEqual(
      await computations(),
      AREAS.map(() => 1),
    );
  }
  await compare('two processes');
  assert.ok(expected.length > 300, `crossings are common: ${expected.length}`);
});

/** As Linux tells it. */
const isStopped = ({ pid }: Child): boolean => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));

/** Makes whichever process has the work send itself a signal at a step. */
async function tell(command: string, which: readonly Child[] = children): Promise<void> {
  for (const child of which) {
    child.tell(command);
    assert.equal(await child.line(), command);
  }
}

/** Where a process is killed. The first figure is written in two transactions. */
const STEPS = {
  computed: 'computed',
  'written some of it': 'written 1',
  'committed some of it': 'written 2',
  committed: 'committed',
} satisfies Record<string, EvaluationStep | `${EvaluationStep} ${number}`>;

for (const [step, command] of Object.entries(STEPS)) {
  test(`a process that is killed when it has ${step} loses and repeats nothing`, async () => {
    await nextHour(0);
    await evaluated();
    await tell(`SIGKILL ${command}`);
    // All 600 watchers of the first figure are told.
    await nextHour(9);
    // One has the work; the other takes it over.
    const dead = await Promise.race(children.map((child) => child.ended.then(() => child)));
    const others = children.filter((child) => child !== dead);
    // Before they may have the work: it would be the end of them too.
    await tell('SIGCONT never', others);
    await endLease();
    children = [...others, await startChild()];
    await evaluated();
    await compare(`killed at "${step}"`);
    await nextHour();
    await evaluated();
    await compare(`the hour after "${step}"`);
  });
}

test('a process that was stopped past its lease writes nothing when it goes on', async () => {
  await tell('SIGSTOP computed');
  await nextHour();
  const stopped = await poll('one is stopped', () => children.find(isStopped));
  // Before it may have the work: it would stop as well, and hear nothing any more.
  await tell(
    'SIGCONT never',
    children.filter((child) => child !== stopped),
  );
  await endLease();
  await evaluated();
  const [figure] = AREAS;
  await nextHour();
  await evaluated();
  stopped.kill('SIGCONT');
  await nextHour();
  await evaluated();
  await compare('stopped and continued');
  const [row] = await database.read(
    (sql) =>
      sql<{ at: string }[]>`select computed_at as at from watch_figure where key like ${`%${figure}%`}`,
  );
  assert.equal(Date.parse(row?.at ?? ''), now);
});

test('a process that ends in good order leaves the work to others at once', async () => {
  const [first, second] = children;
  assert.equal(await first?.finish(), 0);
  await nextHour();
  await evaluated();
  await compare('ended');
  assert.equal(await second?.finish(), 0);
  const left = await database.read((sql) => sql`select from work_lease where holder is not null`);
  assert.equal(left.length, 0);
});
