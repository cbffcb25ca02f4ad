// Proves over random lives of watchers that digests are those of a model: each when clocks on walls show it, with what waited.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { CADENCES, type Cadence, type Principal, TIERS } from '../../../src/access/tiers/tiers.ts';
import { headSequence } from '../../../src/changes/change-store.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Licences } from '../../../src/licence/licences.ts';
import { createListingReads } from '../../../src/listings/store.ts';
import {
  changeWatcher,
  pauseWatcher,
  removeWatcher,
  resumeWatcher,
} from '../../../src/watch/change-watcher.ts';
import { createWatcher } from '../../../src/watch/create-watcher.ts';
import type { DigestCadence } from '../../../src/watch/digests/digest-schedule.ts';
import { runDigests } from '../../../src/watch/digests/digest-scheduler.ts';
import { Matching } from '../../../src/watch/matching/matching.ts';
import { markOwnersDue } from '../../../src/watch/owner-store.ts';
import { runUpkeep } from '../../../src/watch/owner-upkeep.ts';
import type { WatcherOptions } from '../../../src/watch/resolve-target.ts';
import { WebhookLimits } from '../../../src/watch/webhooks/webhook-limits.ts';
import { draft } from '../../support/catalogue/drafts.ts';
import { runs } from '../../support/check/runs.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, testDatabase } from '../../support/database/database.ts';
import { isMatched } from '../../support/watch/matching-oracle.ts';
import { CLOCK_CHANGES, DIGEST_CADENCES, dueTimes, walkClock } from '../../support/watch/wall-clocks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const t = { after };
const { database } = await testDatabase(t);
const catalogue = createCatalogue(database);
let now = Date.UTC(2026, 0, 1);
const clock = { ...systemClock, now: () => now };
const report = (error: unknown) => assert.fail(String(error));
/** As many watchers as there are, and all their events. */
const many = { watchers: 100, events: null };
const tiers = { ...TIERS, free: { ...TIERS.free, ...many }, pro: { ...TIERS.pro, ...many } };
const options = {
  database,
  clock,
  tiers,
  report,
  publicUrl: 'http://127.0.0.1',
  catalogue: createListingReads(database),
  setGrantWatched: async () => true,
  webhooks: { keyring: null, limits: new WebhookLimits(clock) },
} as unknown as WatcherOptions;
const matching = new Matching({
  database,
  clock,
  licences: new Licences({ database, clock, report: () => {} }),
  report: () => {},
});
matching.start();
atEnd(t, () => matching.stop());

type Plan = 'free' | 'pro';
type DueTimes = (cadence: DigestCadence, timeZone: string) => readonly number[];

/** A watcher as the model knows it. */
class ModelWatcher {
  readonly digests: { at: number; events: number[] }[] = [];
  readonly single: number[] = [];
  waiting: number[] = [];
  since: number | null = null;
  handedAt = 0;
  isActive = true;
  isDeleted = false;
  requested: Cadence | null;
  timeZone: string;
  plan: Plan = 'pro';

  constructor(requested: Cadence | null, timeZone: string) {
    this.requested = requested;
    this.timeZone = timeZone;
  }

  get cadence(): Cadence {
    const fastest = this.plan === 'pro' ? 0 : 2;
    return CADENCES[Math.max(fastest, CADENCES.indexOf(this.requested ?? 'instant'))] ?? 'instant';
  }

  happen(sequence: number): void {
    if (!this.isActive || this.isDeleted) return;
    if (this.cadence === 'instant') return void this.single.push(sequence);
    this.since ??= now;
    this.waiting.push(sequence);
  }

  set(change: Partial<Pick<ModelWatcher, 'requested' | 'timeZone' | 'plan'>>): void {
    const before = `${this.cadence} ${this.timeZone}`;
    Object.assign(this, change);
    if (before === `${this.cadence} ${this.timeZone}`) return;
    if (this.cadence === 'instant') this.tell();
    else if (this.since !== null) this.since = Math.max(this.since, now);
  }

  delete(): void {
    this.isDeleted = true;
    this.tell();
  }

  round(due: DueTimes): void {
    const { since, cadence, timeZone } = this;
    if (since === null || cadence === 'instant') return;
    const next = due(cadence, timeZone).find((at) => at > Math.max(since, this.handedAt));
    if (next === undefined || next > now) return;
    this.tell();
    this.handedAt = now;
  }

  tell(): void {
    if (this.waiting.length > 0) this.digests.push({ at: now, events: this.waiting });
    this.waiting = [];
    this.since = null;
  }
}

const index = fc.nat({ max: 3 });
const stepArbitrary = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('happen' as const) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      minutes: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 60, max: 600 })),
      isAsleep: fc.nat({ max: 3 }).map((times) => times === 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cadence' as const),
      index,
      cadence: fc.constantFrom(null, ...CADENCES),
    }),
  },
  { arbitrary: fc.record({ kind: fc.constant('zone' as const), index, other: fc.boolean() }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('pause' as const), index }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('resume' as const), index }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('delete' as const), index }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('plan' as const),
      plan: fc.constantFrom<Plan>('free', 'pro'),
    }),
    weight: 1,
  },
);
type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const settled = () => until('all changes are matched', () => isMatched(database));

let lives = 0;
let price = 100_000;

/** The life of four watchers of one owner around a day on which clocks are changed, beside their models. */
class Life {
  readonly #owner = `life-${++lives}`;
  readonly #zones: readonly [string, string];
  readonly #due: DueTimes;
  readonly watchers: { readonly id: string; readonly model: ModelWatcher }[] = [];
  #plan: Plan = 'pro';

  constructor(zones: readonly [string, string], due: DueTimes) {
    this.#zones = zones;
    this.#due = due;
  }

  get #caller(): Principal {
    return {
      kind: 'key',
      tier: this.#plan,
      owner: `cus:${this.#owner}`,
      subscription: this.#owner,
      grant: null,
      account: `cus:${this.#owner}`,
      reach: EVERYTHING,
    } as unknown as Principal;
  }

  async begin(): Promise<void> {
    const ids = await this.#change();
    for (const cadence of CADENCES) {
      const body = {
        target: { type: 'listing', listingId: ids },
        events: ['listing.updated'],
        cadence,
        timeZone: this.#zones[0],
      };
      const { bytes } = await createWatcher(options, { body, caller: this.#caller, headers: {} });
      const { id } = JSON.parse(String(bytes)) as { id: string };
      this.watchers.push({ id, model: new ModelWatcher(cadence, this.#zones[0]) });
    }
    await settled();
  }

  async #change(): Promise<string> {
    price += 1;
    const { ids } = await database.transaction((tx) =>
      catalogue.write(tx, 'test', [draft(this.#owner, { listPrice: price })], now),
    );
    return ids.get(this.#owner) ?? '';
  }

  async step(step: Step): Promise<void> {
    if (step.kind === 'happen') {
      await this.#change();
      const sequence = await database.read(headSequence);
      for (const { model } of this.watchers) model.happen(sequence);
    } else if (step.kind === 'wait') {
      now += step.minutes * MINUTE;
      if (!step.isAsleep) await this.round();
    } else if (step.kind === 'plan') await this.#setPlan(step.plan);
    else await this.#act(step);
    await settled();
  }

  async round(): Promise<void> {
    await runDigests({ database, clock });
    for (const { model } of this.watchers) model.round(this.#due);
    await settled();
  }

  async #setPlan(plan: Plan): Promise<void> {
    this.#plan = plan;
    await database.write((sql) => markOwnersDue(sql, { owner: `cus:${this.#owner}` }));
    const status = async () => ({ state: 'active', plan }) as never;
    await runUpkeep({
      database,
      clock,
      tiers,
      report,
      setGrantWatched: options.setGrantWatched,
      ownerStatus: { check: status, checkGrant: status, onHint: () => () => {} },
    });
    for (const { model } of this.watchers) if (!model.isDeleted) model.set({ plan });
  }

  async #act(step: Exclude<Step, { readonly kind: 'happen' | 'wait' | 'plan' }>): Promise<void> {
    const { id, model } = this.watchers[step.index] ?? assert.fail();
    if (model.isDeleted) return;
    const request = { id, caller: this.#caller, headers: {} };
    if (step.kind === 'cadence') {
      // A faster one than the plan has is refused.
      const fastest = this.#plan === 'pro' ? 0 : 2;
      if (step.cadence !== null && CADENCES.indexOf(step.cadence) < fastest) return;
      await changeWatcher(options, request, { cadence: step.cadence });
      model.set({ requested: step.cadence });
    } else if (step.kind === 'zone') {
      const timeZone = this.#zones[step.other ? 1 : 0];
      await changeWatcher(options, request, { timeZone });
      model.set({ timeZone });
    } else if (step.kind === 'delete') {
      await removeWatcher(options, request);
      model.delete();
    } else {
      model.isActive = step.kind === 'resume';
      await (model.isActive ? resumeWatcher : pauseWatcher)(options, request);
    }
  }

  /** What was told, as the model has it. */
  async told(id: string): Promise<Pick<ModelWatcher, 'digests' | 'single'>> {
    const rows = await database.read(
      (sql) => sql<{ at: string; type: string; sequence: number; events: number[] }[]>`
        select at, type, sequence, array(
          select held.sequence from watch_event as held where held.held and held.watcher_id = event.watcher_id
            and held.sequence > (event.data ->> 'after')::bigint and held.sequence < event.sequence
          order by held.sequence)::float8[] as events
        from watch_event as event where watcher_id = ${id} and not held order by sequence`,
    );
    const digests = rows.filter(({ type }) => type === 'watcher.digest');
    return {
      digests: digests.map(({ at, events }) => ({ at: Date.parse(at), events })),
      single: rows.filter(({ type }) => type === 'listing.updated').map(({ sequence }) => sequence),
    };
  }
}

let told = 0;

for (const [number, [zone, day]] of CLOCK_CHANGES.entries())
  test(`around ${day} in ${zone}, every event is in the digest that a model has it in, and in no other`, async () => {
    const zones = [zone, 'Asia/Kathmandu'] as const;
    const times = new Map<string, readonly number[]>(
      zones.flatMap((each) => {
        const walk = walkClock(each, day);
        return DIGEST_CADENCES.map((cadence) => [`${each} ${cadence}`, dueTimes(cadence, walk)] as const);
      }),
    );
    const due = (cadence: DigestCadence, timeZone: string) => times.get(`${timeZone} ${cadence}`) ?? [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepArbitrary, { minLength: 50, maxLength: 70 }),
        fc.integer({ min: -36, max: 12 }),
        async (steps, hours) => {
          now = Date.parse(`${day}T00:00:00Z`) + hours * HOUR;
          const life = new Life(zones, due);
          await life.begin();
          for (const step of steps) if (now < Date.parse(`${day}T00:00:00Z`) + 3 * DAY) await life.step(step);
          now += 7 * DAY;
          await life.round();
          for (const { id, model } of life.watchers) {
            const { digests, single } = await life.told(id);
            assert.deepEqual(
              { digests, single },
              { digests: model.digests, single: model.single },
              `${model.cadence} ${model.timeZone}`,
            );
            assert.deepEqual(model.waiting, []);
            told += digests.length;
          }
        },
      ),
      { ...runs(3, 20 + number), endOnFailure: true },
    );
  });

test('digests were common in these lives', () => {
  console.log(`${told} digests in ${lives} lives`);
  assert.ok(told > 2 * lives, `${told}`);
});
