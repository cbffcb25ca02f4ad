// Proof that every process sees a change of a subscription within its bound, in simulated worlds of late and lost notifications, cut
// listeners and slow answers. SIM_RUNS: histories; SIM_SEED: of the first; SIM_NODES: most processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SubscriptionCache } from '../../../src/access/keys/subscription-cache.ts';
import type { SubscriptionProvider, SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import { World } from '../../support/simulation/world.ts';

const RUNS = Number(process.env.SIM_RUNS ?? 10);
const SEED = Number(process.env.SIM_SEED ?? 1);
const NODES = Number(process.env.SIM_NODES ?? 6);
const LENGTH = 3_600_000;
const KEYS = 6;
/** Milliseconds: of a notification, of an answer of the provider, each way; and after which nothing counts that was read. */
const [NOTIFIED, ANSWERED, LIFETIME] = [500, 400, 600_000];

/** What is true of a subscription: active or not, since when. */
interface Truth {
  isActive: boolean;
  since: number;
}

/** One process: its cache, and the connection on which it hears of changes. */
class Listener {
  readonly cache: SubscriptionCache;
  isListening = true;
  /** Since when it has heard everything. */
  hearsSince = 0;
  /** Only a loss of the connection is noticed: a message that is lost without one is not. */
  readonly #world: World;

  constructor(world: World, truths: readonly Truth[]) {
    this.#world = world;
    const answer = (at: number): Promise<SubscriptionStatus> =>
      new Promise((resolve) => {
        world.after(world.between(0, ANSWERED), () => {
          const { isActive } = truths[at] ?? { isActive: false };
          const status: SubscriptionStatus = isActive
            ? { state: 'active', subscription: `sub-${at}`, customer: null, tier: 'pro', endsAt: null }
            : { state: 'expired' };
          world.after(world.between(0, ANSWERED), () => resolve(status));
        });
      });
    const provider: SubscriptionProvider = {
      validate: (key) => answer(Number(key)),
      refresh: (subscription) => answer(Number(subscription.slice(4))),
    };
    const clock = world.clock(world.between(-30_000, 30_000), () => true);
    this.cache = new SubscriptionCache({ provider, clock, report: () => {} });
  }

  notify(at: number): void {
    this.#world.after(this.#world.between(0, NOTIFIED), () => {
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
  const truths = Array.from({ length: KEYS }, (): Truth => ({ isActive: true, since: 0 }));
  const listeners = Array.from({ length: nodes }, () => new Listener(world, truths));
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
    void world.pick(listeners).cache.fetchByKey(String(at));
    world.after(world.between(0, ANSWERED), () => {
      truth.isActive = !truth.isActive;
      truth.since = world.now;
      for (const listener of listeners) listener.notify(at);
    });
  });
  repeat(60_000, 400_000, () => {
    const listener = world.pick(listeners);
    if (listener.isListening) listener.cut(world.between(1_000, 1_500_000));
  });
  for (const listener of listeners)
    repeat(0, 2_000, () => {
      const at = Math.floor(world.between(0, KEYS));
      void listener.cache.findByKey(String(at)).then(({ state }) => {
        const truth = truths[at];
        if (truth === undefined || (state === 'active') === truth.isActive) return;
        const late = world.now - truth.since;
        delays.push(late);
        const hears = listener.isListening && listener.hearsSince < truth.since;
        const bound = (hears ? NOTIFIED : LIFETIME) + 2 * ANSWERED;
        if (late > bound)
          faults.push(`wrong after ${late.toFixed(0)} ms, at most ${bound}, at ${world.now.toFixed(0)}`);
      });
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
