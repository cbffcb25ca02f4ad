// Proves by a model that each crossing into a condition is told once, whatever the figures do, and whatever becomes of the
// watchers and of the process that evaluates them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { HOUR } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { takeLease } from '../../../src/postgres/leases/held-lease.ts';
import { OPERATORS, type Operator } from '../../../src/watch/market/condition.ts';
import {
  type EvaluationStep,
  MARKET_LEASE,
  MarketEvaluator,
} from '../../../src/watch/market/evaluate-conditions.ts';
import type { Watcher } from '../../../src/watch/watcher.ts';
import { runs } from '../../support/check/runs.ts';
import { testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import {
  changeWatcherStatus,
  createMarketWatcher,
  crossingKey,
  crossings,
  marketTarget,
  type StatusStep,
} from '../../support/watch/market-conditions.ts';

const { database } = await testDatabase({ after });
const MINUTES = HOUR / 60;

const AREAS = ['here', 'there'] as const;
const VALUES = [null, -2, -1, 0, 1, 2];

const operators = fc.constantFrom<Operator>(...OPERATORS);
const watcherSteps = fc.record({
  kind: fc.constantFrom<'create' | StatusStep>(
    'create',
    'create',
    'pause',
    'pause',
    'resume',
    'resume',
    'expire',
    'delete',
  ),
  area: fc.constantFrom(...AREAS),
  op: operators,
  threshold: fc.constantFrom(-1, 0, 1),
  which: fc.nat(11),
});
const steps = fc.oneof(
  { weight: 2, arbitrary: watcherSteps },
  {
    weight: 4,
    arbitrary: fc.record({
      minutes: fc.constantFrom(1, 59, 60, 60, 61, 61, 61, 180),
      values: fc.record({ here: fc.constantFrom(...VALUES), there: fc.constantFrom(...VALUES) }),
      /** Where the process fails, if it does; another then goes on. */
      failure: fc.constantFrom<EvaluationStep | null>(null, null, null, 'computed', 'written', 'committed'),
      minutesLater: fc.constantFrom(0, 1, 61),
      valuesLater: fc.record({ here: fc.constantFrom(...VALUES), there: fc.constantFrom(...VALUES) }),
    }),
  },
);

type Values = Readonly<Record<string, number | null>>;

type WatcherStep = typeof watcherSteps extends fc.Arbitrary<infer S> ? S : never;
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

interface ModelWatcher {
  readonly watcher: Watcher;
  readonly area: (typeof AREAS)[number];
  readonly meets: (value: number) => boolean;
  status: 'active' | 'paused' | 'ended';
  /** Figures that it has seen since it became active. */
  seen: number[];
}

/** Each figure once an hour, and each watcher told where one figure that it has seen meets its condition and the one before did not. */
class Model {
  readonly watchers: ModelWatcher[] = [];
  readonly told: string[] = [];
  readonly computed: string[] = [];
  /** When each figure was computed last, and the last that had a value. */
  #computedAt = new Map<string, number>();
  #figures = new Map<string, { readonly at: number; readonly value: number }>();

  add(watcher: Watcher, area: ModelWatcher['area'], meets: ModelWatcher['meets'], now: number): void {
    this.watchers.push({ watcher, area, meets, status: 'active', seen: this.#recent(area, now) });
  }

  resume(watched: ModelWatcher, now: number): void {
    watched.status = 'active';
    watched.seen = this.#recent(watched.area, now);
  }

  /** What was computed within the last hour is what a new watcher finds. */
  #recent(area: string, now: number): number[] {
    const figure = this.#figures.get(area);
    return figure !== undefined && now - figure.at <= HOUR ? [figure.value] : [];
  }

  evaluate(values: Values, now: number, areas: readonly string[] = AREAS): void {
    for (const area of areas) {
      const active = this.watchers.filter((each) => each.area === area && each.status === 'active');
      const last = this.#computedAt.get(area) ?? Number.NEGATIVE_INFINITY;
      if (active.length === 0 || now - last < HOUR) continue;
      const value = values[area] ?? null;
      this.#computedAt.set(area, now);
      this.computed.push(`${area} ${now}`);
      if (value === null) continue;
      this.#figures.set(area, { at: now, value });
      for (const each of active) {
        const previous = each.seen.at(-1);
        if (previous !== undefined && !each.meets(previous) && each.meets(value))
          this.told.push(crossingKey(each.watcher.id, now, { value, previous }));
        each.seen.push(value);
      }
    }
  }
}

const MEETS: Readonly<Record<Operator, (threshold: number) => (value: number) => boolean>> = {
  above: (threshold) => (value) => value > threshold,
  below: (threshold) => (value) => value < threshold,
  change_percent_above: (threshold) => (value) => value > threshold,
  change_percent_below: (threshold) => (value) => value < threshold,
};

const FROM: Readonly<Record<StatusStep, readonly string[]>> = {
  pause: ['active'],
  resume: ['paused'],
  expire: ['active', 'paused'],
  delete: ['active', 'paused'],
};

class Crash extends Error {}

let told = 0;

/** Runs the steps on the database and on the model; at the end both have told the same. */
async function run(sequence: readonly Step[]): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`truncate watcher, watch_condition, watch_figure, work_lease, change, change_batch cascade`;
  });
  const clock = manualClock();
  const model = new Model();
  for (const area of AREAS) {
    // Nobody forgets a figure that a paused watcher compares.
    const target = marketTarget(area, { op: 'above', value: 5 });
    const paused = await createMarketWatcher(database, target, clock.now());
    await changeWatcherStatus(database, paused, 'pause', clock.now());
    for (const op of OPERATORS) {
      const watcher = await createMarketWatcher(database, marketTarget(area, { op, value: 0 }), clock.now());
      model.add(watcher, area, MEETS[op](0), clock.now());
    }
  }

  /** One round of a process that fails at a step; gives the figures that it computed. */
  async function round(values: Values, failure: EvaluationStep | null): Promise<string[]> {
    const computed: string[] = [];
    const evaluator = new MarketEvaluator({
      database,
      clock,
      metrics: createMetrics(),
      report: (error) => assert.fail(String(error)),
      compute: async ({ areaId }) => {
        computed.push(areaId);
        return values[areaId] ?? null;
      },
      onStep: (step) => {
        if (step === failure) throw new Crash(step);
      },
    });
    const lease = (await evaluator.isDue()) ? await takeLease(database, MARKET_LEASE) : null;
    if (lease !== null)
      await evaluator.run(lease).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
    await lease?.release();
    // As if its lease had ended.
    await database.write((sql) => sql`delete from work_lease`);
    return computed;
  }

  async function evaluate(values: Values, failure: EvaluationStep | null): Promise<void> {
    const before = model.computed.length;
    const computed = await round(values, failure);
    const areas = failure === null ? AREAS : failure === 'committed' ? computed : [];
    model.evaluate(values, clock.now(), areas);
    if (failure !== null) return;
    const expected = model.computed.slice(before).map((text) => text.split(' ', 1)[0]);
    assert.deepEqual(computed.toSorted(), expected.toSorted(), 'each figure is computed once an hour');
  }

  async function changeWatchers({ kind, area, op, threshold, which }: WatcherStep): Promise<void> {
    const now = clock.now();
    if (kind === 'create') {
      const watcher = await createMarketWatcher(database, marketTarget(area, { op, value: threshold }), now);
      return model.add(watcher, area, MEETS[op](threshold), now);
    }
    const from = FROM[kind];
    const possible = model.watchers.filter(({ status }) => status !== 'ended' && from.includes(status));
    const watched = possible[which % Math.max(1, possible.length)];
    if (watched === undefined) return;
    await changeWatcherStatus(database, watched.watcher, kind, now);
    if (kind === 'resume') model.resume(watched, now);
    else watched.status = kind === 'pause' ? 'paused' : 'ended';
  }

  for (const step of sequence) {
    if ('op' in step) {
      await changeWatchers(step);
      continue;
    }
    clock.advance(step.minutes * MINUTES);
    await evaluate(step.values, step.failure);
    if (step.failure === null) continue;
    clock.advance(step.minutesLater * MINUTES);
    await evaluate(step.valuesLater, null);
  }
  assert.deepEqual((await crossings(database)).toSorted(), model.told.toSorted());
  told += model.told.length;
}

test('crossings are told once, and only while a watcher is active', async () => {
  await fc.assert(fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 40 }), run), runs(25, 19));
  console.log(`${told} crossings`);
  assert.ok(told > 100, `crossings are common: ${told}`);
});
