// Proves which backend is asked, that a request is answered from one generation, and how it waits for the newest changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import type { Generation } from '../engine/columns/segment.ts';
import { type EngineStatus, NO_ENGINE } from '../engine/lifecycle/search-engine.ts';
import type { Condition } from '../query/condition.ts';
import type { AnswerContext, ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { createBackendSwitch } from './backend-switch.ts';

const status = (...statuses: readonly ('ACTIVE' | 'COMING_SOON' | 'CLOSED')[]): Condition => ({
  kind: 'statuses',
  statuses,
});
const CHEAP: Condition = { kind: 'range', column: 'price', min: undefined, max: 1, below: undefined };

/** A search of which only the conditions are looked at. */
const search = (conditions: readonly Condition[], more: Partial<ResolvedSearch> = {}): ResolvedSearch =>
  ({ plan: { conditions }, resolved: {}, ...more }) as unknown as ResolvedSearch;

const generation = (sequence: number): Generation => ({ sequence }) as Generation;

/** A backend whose count tells its number. */
const counting = (number: number): SearchBackend =>
  ({
    count: async () => number,
    countEach: async (_: ResolvedSearch, sets: readonly unknown[]) => sets.map((_, at) => number + at),
    page: async (_: ResolvedSearch, known?: unknown) => ({
      hits: [],
      more: known !== undefined,
      total: number,
    }),
  }) as unknown as SearchBackend;

/** PostgreSQL counts -1, the engine the sequence of its generation. */
function stage(state: Partial<EngineStatus> = { state: 'ready' }) {
  const world = {
    current: state.state === 'ready' ? generation(1) : null,
    isCaughtUp: true,
    isLost: false,
    caughtUp: 0,
    lagMs: 1_234.5 as number | null,
  };
  const answers: string[] = [];
  const sessions = createBackendSwitch({
    sql: counting(-1),
    engineOver: ({ sequence }) => counting(sequence),
    engine: {
      generation: () => world.current,
      lagMs: () => world.lagMs,
      status: () => ({ ...NO_ENGINE.status(), lagMs: 1_234.5, ...state }),
      async catchUp() {
        world.caughtUp++;
        if (world.isCaughtUp) world.current = generation(9);
        if (world.isLost) world.current = null;
        return world.isCaughtUp;
      },
    },
    onAnswer: (by) => answers.push(by),
  });
  return { open: (context: AnswerContext = {}) => sessions.open(context), world, answers };
}

test('the engine is asked for what is on the market, PostgreSQL as soon as another status is among them', async () => {
  const { open, answers } = stage();
  const backend = open();
  assert.equal(await backend.count(search([status('ACTIVE', 'COMING_SOON'), CHEAP])), 1);
  assert.equal(await backend.count(search([status('ACTIVE', 'CLOSED')])), -1);
  assert.equal(await backend.count(search([CHEAP])), -1);
  assert.deepEqual(answers, ['memory', 'postgres', 'postgres']);
  assert.equal(backend.countsAlong?.(search([status('ACTIVE')])), true);
  assert.equal(backend.countsAlong?.(search([status('CLOSED')])), false);
});

test('sets that are on the market are counted by the engine, and only the others by PostgreSQL', async () => {
  const { open, answers } = stage();
  const backend = open();
  const asked = search([status('ACTIVE')]);
  assert.deepEqual(await backend.countEach(asked, [[status('ACTIVE')], [status('ACTIVE'), CHEAP]]), [1, 2]);
  assert.deepEqual(await backend.countEach(asked, [[CHEAP], [status('ACTIVE')]]), [-1, 1]);
  assert.deepEqual(await backend.countEach(asked, [[CHEAP]]), [-1]);
  assert.deepEqual(answers.sort(), ['memory', 'memory', 'postgres', 'postgres']);
});

test('all queries of a session are answered from one generation, those of the next from the newest', async () => {
  const { open, world } = stage();
  const [first, second] = [open(), open()];
  const active = search([status('ACTIVE')]);
  assert.equal(await first.count(active), 1);
  world.current = generation(2);
  assert.equal((await first.page({ ...active, plan: { ...active.plan, limit: 7 } })).total, 1);
  assert.equal(await second.count(active), 2);
});

test('sessions that were opened alike have contexts of their own, which their queries share', async () => {
  const contexts: (AnswerContext | undefined)[] = [];
  const sql = {
    count: async ({ context }: ResolvedSearch) => contexts.push(context),
  } as unknown as SearchBackend;
  const sessions = createBackendSwitch({
    sql,
    engine: NO_ENGINE,
    engineOver: () => sql,
    onAnswer: () => {},
  });
  const opened: AnswerContext = { caller: 'sub:1' };
  const [first, second] = [sessions.open(opened), sessions.open(opened)];
  for (const each of [first, first, second]) await each.count(search([CHEAP]));
  assert.deepEqual(contexts[0], opened);
  assert.equal(contexts[0], contexts[1]);
  assert.notEqual(contexts[1], contexts[2]);
});

test('a session that is closed answers nothing more', async () => {
  const { open } = stage();
  const session = open();
  const active = search([status('ACTIVE')]);
  await session.count(active);
  session.close();
  await assert.rejects(session.count(active), /after its session was closed/);
});

test('a session that must be of now waits once for the newest changes, and tells its lag if they do not come', async () => {
  const { open, world } = stage();
  const active = search([status('ACTIVE')]);
  const fresh = open({ fresh: true });
  assert.deepEqual([await fresh.count(active), await fresh.count(active), world.caughtUp], [9, 9, 1]);
  assert.equal(fresh.lagMs(), null);
  world.isCaughtUp = false;
  const late = open({ fresh: true });
  assert.deepEqual([await late.count(active), late.lagMs()], [9, 1_235]);
});

test('a session that waited while the engine ran out of memory is answered by PostgreSQL', async () => {
  const { open, world, answers } = stage();
  [world.isCaughtUp, world.isLost] = [false, true];
  const active = search([status('ACTIVE')]);
  const fresh = open({ fresh: true });
  assert.deepEqual([await fresh.count(active), await fresh.count(active)], [-1, -1]);
  assert.deepEqual([fresh.lagMs(), answers], [null, ['postgres', 'postgres']]);
});

test('while the engine fills, its searches are refused; where it is unusable or off, PostgreSQL answers them', async () => {
  const filling = stage({ state: 'filling', progress: { rows: 1, total: 20 } });
  const refused = (error: unknown) =>
    error instanceof Problem && error.code === 'SEARCH_LOADING' && error.message.includes('1 of 20');
  await assert.rejects(filling.open().count(search([status('ACTIVE')])), refused);
  assert.equal(await filling.open().count(search([status('CLOSED')])), -1);
  for (const state of ['unusable', 'off'] as const) {
    const backend = stage({ state }).open();
    assert.equal(await backend.count(search([status('ACTIVE')])), -1);
    assert.equal(backend.countsAlong?.(search([status('ACTIVE')])), false);
  }
});

test('what is known of listings stands in for their records only while the engine is at most five seconds behind', async () => {
  const { open, world } = stage();
  const isUsed = async () => (await open().page(search([status('ACTIVE')]), () => undefined)).more;
  assert.equal(await isUsed(), true);
  for (const [lagMs, expected] of [
    [5_000, true],
    [5_001, false],
    [null, false],
  ] as const) {
    world.lagMs = lagMs;
    assert.equal(await isUsed(), expected);
  }
});

test('an answer that lacks the changes of more than five seconds tells of how many', async () => {
  const { open, world } = stage();
  for (const [lagMs, told] of [
    [4_999.5, null],
    [5_000.5, 5_001],
    [61_000, 61_000],
  ] as const) {
    world.lagMs = lagMs;
    const session = open();
    await session.count(search([status('ACTIVE')]));
    assert.equal(session.lagMs(), told);
  }
});
