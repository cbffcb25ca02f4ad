// Proof that every process sees a change of a subscription, with its keys, within its bound, in simulated worlds of late and lost
// notifications and webhooks, cut listeners, slow answers and clocks that differ. SIM_RUNS: histories; SIM_SEED: of the first;
// SIM_NODES: most processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SubscriptionCache } from '../../../src/access/keys/subscription-cache.ts';
import {
  ProviderUnavailable,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../../../src/access/tiers/provider.ts';
import { World } from '../../support/simulation/world.ts';

const RUNS = Number(process.env.SIM_RUNS ?? 10);
const SEED = Number(process.env.SIM_SEED ?? 1);
const NODES = Number(process.env.SIM_NODES ?? 6);
const LENGTH = 3_600_000;
const KEYS = 6;
/** Milliseconds: of a notification, of an answer of the provider, each way; and after which nothing counts that was read. */
const [NOTIFIED, ANSWERED, LIFETIME] = [500, 400, 600_000];

/** While the service is down nobody is told anything. */
const IGNORED = (): void => {};

/** What is true of a subscription: active or not, since when; and when processes were notified of it, if they were. */
interface Truth {
  isActive: boolean;
  since: number;
  notifiedAt: number | null;
}

/** What the table says that all processes share, of which each answer has its age. */
interface Row {
  readonly isActive: boolean;
  readonly requestedAt: number;
}

/** The payment service behind the table. */
class SubscriptionTable {
  readonly #world: World;
  readonly #truths: readonly Truth[];
  readonly #rows = new Map<number, Row>();
  /** Whether the service gives no answers. */
  isDown = false;

  constructor(world: World, truths: readonly Truth[]) {
    this.#world = world;
    this.#truths = truths;
  }

  /** Stores what is true now, unless a later request was stored. */
  store(at: number, requestedAt: number): void {
    const { isActive = false } = this.#truths[at] ?? {};
    const stored = this.#rows.get(at)?.requestedAt ?? Number.NEGATIVE_INFINITY;
    if (requestedAt >= stored) this.#rows.set(at, { isActive, requestedAt });
  }

  /** The status by the row, or by the service where the row is older than `maxAge`. */
  async find(at: number, maxAge = LIFETIME): Promise<SubscriptionStatus> {
    const world = this.#world;
    await world.pause(world.between(0, ANSWERED));
    const requestedAt = world.now;
    if (requestedAt - (this.#rows.get(at)?.requestedAt ?? Number.NEGATIVE_INFINITY) >= maxAge) {
      await world.pause(world.between(0, ANSWERED));
      if (this.isDown) throw new ProviderUnavailable(new Error('no answer'));
      this.store(at, requestedAt);
    }
    const row = this.#rows.get(at) ?? { isActive: false, requestedAt };
    const age = world.now - row.requestedAt;
    await world.pause(world.between(0, ANSWERED));
    return row.isActive
      ? { state: 'active', subscription: `sub-${at}`, customer: null, tier: 'pro', endsAt: null, age }
      : { state: 'expired', age };
  }
}

/** One process: its cache, and the connection on which it hears of changes. */
class Listener {
  readonly cache: SubscriptionCache;
  isListening = true;
  /** Since when it has heard everything. */
  hearsSince = 0;
  /** Only a loss of the connection is noticed: a message that is lost without one is not. */
  readonly #world: World;

  constructor(world: World, table: SubscriptionTable) {
    this.#world = world;
    const provider: SubscriptionProvider = {
      validate: (key, { maxAge }) => table.find(Number(key), maxAge),
      refresh: (subscription, { maxAge }) => table.find(Number(subscription.slice(4)), maxAge),
    };
    const clock = world.clock(world.between(-30_000, 30_000), () => true);
    this.cache = new SubscriptionCache({ provider, clock, report: () => {} });
  }

  notify(at: number): void {
    this.#world.after(this.#world.between(0, this.#world.pick([10, NOTIFIED])), () => {
      if (this.isListening) this.cache.invalidate(`sub-${at}`);
    });
  }

  cut(lasts: number): void {
    this.isListening = false;
    this.#world.after(lasts, () => {
      this.isListening = true;
      this.hearsSince = this.#world.now;
      // What `listen` calls when it has joined its channel again.
      this.cache.clear();
    });
  }
}

async function runHistory(seed: number, nodes: number) {
  const world = new World(seed);
  const truths = Array.from({ length: KEYS }, (): Truth => ({ isActive: true, since: 0, notifiedAt: null }));
  const table = new SubscriptionTable(world, truths);
  const listeners = Array.from({ length: nodes }, () => new Listener(world, table));
  const faults: string[] = [];
  const delays: number[] = [];
  const repeat = (low: number, high: number, work: () => void): void => {
    const again = (): void => {
      work();
      world.after(world.between(low, high), again);
    };
    world.after(world.between(low, high), again);
  };
  repeat(60_000, 400_000, () => {
    const at = Math.floor(world.between(0, KEYS));
    const truth = truths[at];
    if (truth === undefined) return;
    // Somebody reads just then what is true for a moment longer.
    world.pick(listeners).cache.fetchByKey(String(at)).catch(IGNORED);
    world.after(world.between(0, ANSWERED), () => {
      truth.isActive = !truth.isActive;
      truth.since = world.now;
      truth.notifiedAt = null;
      // The webhook of half of the changes is lost.
      if (world.random() < 0.5) return;
      world.after(world.between(0, world.pick([10, ANSWERED])), () => {
        table.store(at, world.now);
        truth.notifiedAt = world.now;
        for (const listener of listeners) listener.notify(at);
      });
    });
  });
  repeat(60_000, 400_000, () => {
    const listener = world.pick(listeners);
    if (listener.isListening) listener.cut(world.between(1_000, 1_500_000));
  });
  // Then nothing is renewed in good time, and what is known counts until its end.
  repeat(300_000, 900_000, () => {
    table.isDown = true;
    world.after(world.between(60_000, 800_000), () => {
      table.isDown = false;
    });
  });
  for (const listener of listeners)
    repeat(0, 2_000, () => {
      const at = Math.floor(world.between(0, KEYS));
      const judge = ({ state }: SubscriptionStatus): void => {
        const truth = truths[at];
        if (truth === undefined || (state === 'active') === truth.isActive) return;
        const late = world.now - truth.since;
        delays.push(late);
        const hasHeard =
          truth.notifiedAt !== null && listener.isListening && listener.hearsSince < truth.notifiedAt;
        const heardAfter = hasHeard ? (truth.notifiedAt ?? 0) - truth.since + NOTIFIED : LIFETIME;
        const bound = heardAfter + 3 * ANSWERED;
        if (late > bound)
          faults.push(`wrong after ${late.toFixed(0)} ms, at most ${bound}, at ${world.now.toFixed(0)}`);
      };
      listener.cache.findByKey(String(at)).then(judge, IGNORED);
    });
  await world.run(LENGTH);
  return { faults, delays };
}

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  const nodes = 2 + (seed % (NODES - 1));
  test(`history ${seed}: ${nodes} processes, and changes that some do not hear of`, async (t) => {
    const { faults, delays } = await runHistory(seed, nodes);
    assert.deepEqual(faults, [], `SIM_SEED=${seed}`);
    assert.ok(delays.length > 0, 'some answers are those of before');
    t.diagnostic(
      `${delays.length} answers of before a change, the latest after ${(Math.max(...delays) / 1_000).toFixed(1)} s`,
    );
  });
}
