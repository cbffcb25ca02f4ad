// Model of the table in which processes read of each other's counting, in a simulated world.

import type { LimitsBoard } from '../../../src/access/limits/shared/limits-board.ts';
import type { StoredState } from '../../../src/access/limits/shared/phase-store.ts';
import { type LimitsReport, nextState, type SeenReport } from '../../../src/access/limits/shared/phases.ts';
import type { World } from './world.ts';

/** How one process reaches the database. */
export interface BoardLink {
  isCut: boolean;
  /** Milliseconds, each way, at most. */
  delay: number;
  /** Share of the notifications that are lost. */
  loss: number;
}

/** Milliseconds after which a statement is given up. */
const TIMEOUT = 2_000;

export class BoardModel {
  readonly #world: World;
  readonly #reports = new Map<string, LimitsReport & { readonly seenAt: number }>();
  readonly #listeners = new Map<string, { readonly link: BoardLink; readonly onChange: () => void }>();
  state: StoredState = { installation: 'one', epoch: 1, phase: 'divided', nodes: 1 };

  constructor(world: World) {
    this.#world = world;
  }

  /** The table as one process reaches it. */
  reach(id: string, link: BoardLink, isAlive: () => boolean): LimitsBoard {
    const world = this.#world;
    const oneWay = (run: () => void): void => {
      world.after(world.between(0, link.delay), () => {
        if (!link.isCut) run();
      });
    };
    return {
      report: (report) =>
        new Promise((resolve, reject) => {
          const late = world.after(TIMEOUT, () => reject(new Error('no database')));
          oneWay(() => {
            if (!isAlive()) return;
            const state = this.#take(id, report);
            oneWay(() => {
              late();
              resolve(state);
            });
          });
        }),
      leave: async () => {
        if (this.state.phase === 'shared') this.#reports.delete(id);
      },
      follow: (onChange) => {
        this.#listeners.set(id, { link, onChange });
        return { close: async () => void this.#listeners.delete(id) };
      },
    };
  }

  /** Somebody who is dead hears nothing. */
  forget(id: string): void {
    this.#listeners.delete(id);
  }

  #take(id: string, report: LimitsReport): StoredState {
    const world = this.#world;
    this.#reports.set(id, { ...report, seenAt: world.now });
    const seen: SeenReport[] = [...this.#reports.values()].map(({ seenAt, ...each }) => ({
      ...each,
      unseenMs: world.now - seenAt,
    }));
    const next = nextState(this.state, seen);
    const { epoch, phase, nodes } = this.state;
    if (next.epoch === epoch && next.phase === phase && next.nodes === nodes) return this.state;
    this.state = { installation: this.state.installation, ...next };
    for (const { link, onChange } of this.#listeners.values())
      if (!link.isCut && world.random() >= link.loss) world.after(world.between(0, link.delay), onChange);
    return this.state;
  }
}
