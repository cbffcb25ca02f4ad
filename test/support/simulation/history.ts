// One history of a simulated world: processes that count together, callers who want more than they may, and whatever goes wrong.

import { Admissions, type Judged } from './admissions.ts';
import { BoardModel } from './board-model.ts';
import { CountingModel } from './counting-model.ts';
import { CountingNode } from './counting-node.ts';
import { World } from './world.ts';

export interface HistoryOptions {
  readonly seed: number;
  readonly nodes: number;
  /** Milliseconds, of the world. */
  readonly length: number;
  /** How often something goes wrong: so many times, at random. */
  readonly troubles: number;
}

export interface History extends Judged {
  readonly options: HistoryOptions;
  readonly admitted: number;
  /** What went wrong, in order. */
  readonly troubles: readonly string[];
  /** Milliseconds from the end of each trouble to the moment at which the server decides again for all. */
  readonly recoveries: readonly number[];
  /** The fewest that one process admitted of an account, and the most, in all. */
  readonly fairness: readonly [number, number];
  /** The most streams of one account that were open at once while nothing was lost. */
  readonly streams: number;
}

/** Of the tiers, and one below the number of processes. */
const QUOTAS = [2, 10, 60, 300, 1_200];
/** Requests of each account in ten seconds, as a share of what it may send in a minute: more than it gets. */
const PRESSURE = 0.4;
/** Callers of smaller quotas want all of it at once now and then, from all processes. */
const BURSTS_UNTIL = 60;
const STREAMS = 10;
const CALM_BEFORE_END = 100_000;

/** Lets one history happen. */
export async function runHistory(options: HistoryOptions): Promise<History> {
  const { seed, length } = options;
  const world = new World(seed);
  const server = new CountingModel(world);
  const board = new BoardModel(world);
  const admissions = new Admissions();
  const byNode = new Map<string, number>();
  let admitted = 0;
  const parts = {
    world,
    server,
    board,
    onAdmitted(account: string, node: string) {
      admitted++;
      admissions.add(account, world.now);
      const key = `${account} ${node}`;
      byNode.set(key, (byNode.get(key) ?? 0) + 1);
    },
    onSlow: () => admissions.loss(world.now),
  };
  const nodes: CountingNode[] = [];
  let born = 0;
  const join = (): void => {
    const node = new CountingNode(`n${born++}`, parts);
    nodes.push(node);
    void node.start();
  };
  for (let count = 0; count < options.nodes; count++) join();
  const living = (): CountingNode[] => nodes.filter(({ isAlive }) => isAlive);
  const accounts = QUOTAS.map((quota) => ({ name: `a${quota}`, quota }));

  // The beginning is a loss: nobody knows what was before.
  admissions.loss(0);
  for (const { name, quota } of accounts) {
    const isSpread = world.random() < 0.7;
    const pace = 10_000 / (quota * PRESSURE);
    const send = (): void => {
      const all = living();
      const node = isSpread ? world.pick(all) : (all[quota % all.length] ?? world.pick(all));
      void node.request(name, quota);
      world.after(world.between(0, 2 * pace), send);
    };
    send();
    if (quota > BURSTS_UNTIL) continue;
    const burst = (): void => {
      for (let count = 0; count < quota; count++)
        world.after(world.between(0, 200), () => void world.pick(living()).request(name, quota));
      world.after(world.between(5_000, 40_000), burst);
    };
    world.after(world.between(0, 40_000), burst);
  }
  const streams = new Streams(world);
  const openStream = (): void => {
    streams.open(world.pick(living()));
    world.after(world.between(0, 1_500), openStream);
  };
  openStream();
  const look = (): void => {
    const all = living();
    const isShared = all.every(
      (node) => node.limiter.status().mode === 'shared' && node.limiter.status().step === 'shared',
    );
    admissions.note(isShared, world.now);
    recovery.look(isShared, world.now);
    world.after(250, look);
  };
  const recovery = new Recoveries();
  look();
  const troubles: string[] = [];
  for (let count = 0; count < options.troubles; count++)
    world.after(world.between(30_000, length - CALM_BEFORE_END), () => {
      const trouble = makeTrouble({
        world,
        server,
        nodes,
        living,
        join,
        loss: () => admissions.loss(world.now),
      });
      troubles.push(`${(world.now / 1_000).toFixed(1)} s: ${trouble.what}`);
      recovery.trouble(world.now + trouble.lasts);
      streams.disturb(trouble.lasts + 75_000);
    });
  await world.run(length);
  const judged = admissions.judge(accounts, born, length);
  const counts = [...byNode.values()];
  return {
    ...judged,
    faults: [...judged.faults, ...streams.faults],
    options,
    admitted,
    troubles,
    recoveries: recovery.found,
    fairness: [Math.min(...counts), Math.max(...counts)],
    streams: streams.most,
  };
}

/** Open streams of one account, which last ten seconds at most. */
class Streams {
  readonly #world: World;
  #open = 0;
  #calmFrom = 120_000;
  most = 0;
  readonly faults: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** From now on more may be open for so long. */
  disturb(milliseconds: number): void {
    this.#calmFrom = Math.max(this.#calmFrom, this.#world.now + milliseconds);
  }

  open(node: CountingNode): void {
    void node.openStream('streams', STREAMS).then((release) => {
      if (release === null) return;
      this.#open++;
      const isCalm = this.#world.now >= this.#calmFrom;
      if (isCalm) this.most = Math.max(this.most, this.#open);
      if (isCalm && this.#open > STREAMS)
        this.faults.push(`${this.#open} of ${STREAMS} streams at ${this.#world.now.toFixed(0)}`);
      this.#world.after(this.#world.between(5_000, 10_000), () => {
        this.#open--;
        release();
      });
    });
  }
}

/** How long it takes until the server decides again. */
class Recoveries {
  readonly found: number[] = [];
  #since: number | null = null;

  trouble(end: number): void {
    this.#since = Math.max(this.#since ?? 0, end);
  }

  look(isShared: boolean, now: number): void {
    if (this.#since === null || now < this.#since + 1_500 || !isShared) return;
    this.found.push(now - this.#since);
    this.#since = null;
  }
}

interface TroubleParts {
  readonly world: World;
  readonly server: CountingModel;
  readonly nodes: readonly CountingNode[];
  readonly living: () => CountingNode[];
  readonly join: () => void;
  readonly loss: () => void;
}

interface Trouble {
  readonly what: string;
  /** Milliseconds. */
  readonly lasts: number;
}

/** Lets one thing go wrong. What is no loss of the server, or of what it counted, permits nobody more than its quota. */
function makeTrouble({ world, server, living, join, loss }: TroubleParts): Trouble {
  const lasts = world.between(500, 90_000);
  const node = world.pick(living());
  const later = (run: () => void): void => void world.after(lasts, run);
  const kinds: readonly (() => Trouble)[] = [
    () => {
      loss();
      server.isUp = false;
      later(() => {
        server.empty();
        server.isUp = true;
      });
      return { what: `the server is dead for ${lasts.toFixed(0)} ms, and empty then`, lasts };
    },
    () => {
      loss();
      const cut = living().slice(0, 1 + Math.floor(world.random() * living().length));
      for (const each of cut) each.link.state = world.random() < 0.5 ? 'blackhole' : 'refused';
      later(() => {
        for (const each of cut) each.link.state = 'pass';
      });
      return { what: `${cut.length} processes do not reach the server for ${lasts.toFixed(0)} ms`, lasts };
    },
    () => {
      loss();
      server.empty();
      return { what: 'the server is emptied', lasts: 0 };
    },
    () => {
      loss();
      server.failOver(Math.floor(world.between(0, 50)));
      return { what: 'another server goes on', lasts: 0 };
    },
    () => {
      loss();
      const step = world.between(-60_000, 60_000);
      server.clockError += step;
      return { what: `the clock of the server is set by ${step.toFixed(0)} ms`, lasts: 0 };
    },
    () => {
      if (living().length > 1) node.kill();
      later(join);
      return {
        what: `${node.id} is killed, and another one starts after ${lasts.toFixed(0)} ms`,
        lasts: lasts + 70_000,
      };
    },
    () => {
      node.boardLink.isCut = true;
      later(() => {
        node.boardLink.isCut = false;
      });
      return {
        what: `${node.id} does not reach the database for ${lasts.toFixed(0)} ms`,
        lasts: lasts + 70_000,
      };
    },
    () => {
      join();
      return { what: 'one more process starts', lasts: 0 };
    },
  ];
  return world.pick(kinds)();
}
