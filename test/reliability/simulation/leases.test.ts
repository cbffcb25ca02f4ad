// Proof that work which one process does for all is done by one, and taken over in ten seconds, in simulated worlds of kills, stops,
// partitions and slow networks. SIM_RUNS: histories; SIM_SEED: of the first; SIM_NODES: most processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../src/lib/clock.ts';
import { startLeasedWork } from '../../../src/postgres/leases/leased-work.ts';
import { type DatabaseLink, LeaseModel } from '../../support/simulation/lease-model.ts';
import { World } from '../../support/simulation/world.ts';

const RUNS = Number(process.env.SIM_RUNS ?? 20);
const SEED = Number(process.env.SIM_SEED ?? 1);
const NODES = Number(process.env.SIM_NODES ?? 6);
const LENGTH = 600_000;
const TAKEN_OVER = 10_000;
const WORK = 'simulated work';
/** Milliseconds each way to the database, at most: too long for many statements, or short. */
const [SLOW, NEAR] = [1_500, 30];
const KINDS = ['kill', 'stop', 'cut', 'slow'] as const;
type Kind = (typeof KINDS)[number];

/** A process that works whenever it may: a write every half a second, and something outside of the database. */
class Worker {
  readonly id: string;
  readonly link: DatabaseLink = { isCut: false, delay: NEAR };
  isAlive = true;
  /** While it is stopped nothing of it happens; what fell due happens when it goes on. */
  isStopped = false;
  #waiting: (() => void)[] = [];

  constructor(id: string, world: World, model: LeaseModel, onOutside: (fence: number) => void) {
    this.id = id;
    const clock = this.#clock(world);
    startLeasedWork({
      clock,
      database: model.reach(id, this.link, clock),
      name: WORK,
      pause: 300,
      report: () => {},
      work: async (lease, isOver) => {
        while (!isOver()) {
          await new Promise<void>((resolve) => clock.after(500, resolve));
          lease.requireHeld();
          onOutside(lease.claim.fence);
          await lease.transaction(async () => {});
        }
      },
    });
  }

  suffer(kind: Kind): void {
    if (kind === 'kill') this.isAlive = false;
    if (kind === 'stop') this.isStopped = true;
    if (kind === 'cut') this.link.isCut = true;
    if (kind === 'slow') this.link.delay = SLOW;
  }

  /** Who was killed stays dead. */
  recover(): void {
    this.link.isCut = false;
    this.link.delay = NEAR;
    this.isStopped = false;
    for (const run of this.#waiting.splice(0)) if (this.isAlive) run();
  }

  #clock(world: World): Clock {
    const clock = world.clock(world.between(-30_000, 30_000), () => this.isAlive);
    return {
      now: clock.now,
      monotonic: clock.monotonic,
      after: (milliseconds, callback) =>
        clock.after(milliseconds, () => {
          if (this.isStopped) this.#waiting.push(callback);
          else callback();
        }),
    };
  }
}

async function runHistory(seed: number, nodes: number) {
  const world = new World(seed);
  const model = new LeaseModel(world);
  const outside: number[] = [];
  const workers = Array.from(
    { length: nodes },
    (_, at) => new Worker(`w${at}`, world, model, (fence) => outside.push(fence)),
  );
  const faults: string[] = [];
  // One trouble after another: those who could take over are well.
  const trouble = (): void => {
    const alive = workers.filter(({ isAlive }) => isAlive);
    const worker = world.pick(alive);
    const lasts = world.between(1_000, 60_000);
    const kind = world.pick(alive.length > 2 ? KINDS : KINDS.filter((each) => each !== 'kill'));
    faults.push(
      `${(world.now / 1_000).toFixed(1)} s: ${kind} ${worker.id} for ${(lasts / 1_000).toFixed(1)} s`,
    );
    worker.suffer(kind);
    world.after(lasts, () => worker.recover());
    world.after(lasts + world.between(15_000, 30_000), trouble);
  };
  world.after(20_000, trouble);
  await world.run(LENGTH);
  return { written: model.written, outside, faults };
}

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  const nodes = 2 + (seed % (NODES - 1));
  test(`history ${seed}: ${nodes} processes, one works`, async (t) => {
    const { written, outside, faults } = await runHistory(seed, nodes);
    const told = `SIM_SEED=${seed}, ${nodes} processes\n${faults.join('\n')}`;
    let longest = 0;
    for (const [at, { fence, node, at: now }] of written.entries()) {
      const before = written[at - 1];
      if (before === undefined) continue;
      assert.ok(fence >= before.fence, `a write of a former holder was committed at ${now}\n${told}`);
      assert.ok(fence > before.fence || node === before.node, `two work under one fence at ${now}\n${told}`);
      longest = Math.max(longest, now - before.at);
    }
    assert.ok(longest <= TAKEN_OVER, `nobody wrote for ${longest} ms\n${told}`);
    assert.ok(LENGTH - (written.at(-1)?.at ?? 0) <= TAKEN_OVER, `nobody writes any more\n${told}`);
    // Outside of the database there is no fence: there the clock of a holder keeps it from working beside the next one.
    assert.deepEqual(
      outside,
      outside.toSorted((one, other) => one - other),
      told,
    );
    t.diagnostic(
      `${written.length} writes by ${new Set(written.map(({ fence }) => fence)).size} holders, the longest pause ${(longest / 1_000).toFixed(1)} s`,
    );
  });
}
