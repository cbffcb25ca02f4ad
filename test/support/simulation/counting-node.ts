// One process of a simulated world: the rules of the service, over a simulated server and table, and callers who want more than they may.

import { SharedLimiter } from '../../../src/access/limits/shared/shared-limiter.ts';
import { SharedPlaces } from '../../../src/access/limits/shared/shared-places.ts';
import { SharedWindow } from '../../../src/access/limits/shared/shared-window.ts';
import { Problem } from '../../../src/lib/problem.ts';
import type { BoardLink, BoardModel } from './board-model.ts';
import { type CountingModel, type Link, reachModel } from './counting-model.ts';
import type { World } from './world.ts';

export interface NodeParts {
  readonly world: World;
  readonly server: CountingModel;
  readonly board: BoardModel;
  /** Called for each request that is admitted, at the time of the world. */
  readonly onAdmitted: (account: string, node: string) => void;
  /** Called when a call got no answer in time: a small loss of its own. */
  readonly onSlow: () => void;
}

export class CountingNode {
  readonly id: string;
  readonly link: Link = { state: 'pass', delay: 3 };
  readonly boardLink: BoardLink = { isCut: false, delay: 20, loss: 0.1 };
  isAlive = true;
  readonly limiter: SharedLimiter;
  readonly #parts: NodeParts;
  readonly #window: SharedWindow;
  readonly #places: SharedPlaces;

  constructor(id: string, parts: NodeParts) {
    const { world, server, board, onSlow } = parts;
    this.id = id;
    this.#parts = parts;
    const isAlive = () => this.isAlive;
    const clock = world.clock(world.between(-30_000, 30_000), isAlive);
    const reached = reachModel(world, server, this.link, clock, onSlow);
    const report = (): void => {};
    this.limiter = new SharedLimiter({
      clock,
      report,
      server: reached,
      board: board.reach(id, this.boardLink, isAlive),
      onChange: report,
    });
    const common = { limiter: this.limiter, clock, node: id };
    this.#window = new SharedWindow({ ...common, kind: 'minute', capacity: 10_000 });
    this.#places = new SharedPlaces({ ...common, kind: 'streams', report });
  }

  /** Takes part; a database that cannot be reached is tried again. */
  async start(): Promise<void> {
    while (this.isAlive) {
      const isStarted = await this.limiter.start().then(
        () => true,
        () => false,
      );
      if (isStarted) return;
      await this.#parts.world.pause(500);
    }
  }

  /** It ends without a word. */
  kill(): void {
    this.isAlive = false;
    this.#parts.board.forget(this.id);
  }

  /** One request of an account. */
  async request(account: string, quota: number): Promise<void> {
    if (!this.isAlive) return;
    try {
      const { slot } = await this.#window.take(account, quota);
      if (slot !== null && this.isAlive) this.#parts.onAdmitted(account, this.id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** A stream, or null where there is no place. */
  async openStream(account: string, quota: number): Promise<(() => void) | null> {
    try {
      const release = await this.#places.open(account, quota);
      return this.isAlive ? release : null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return null;
    }
  }
}
