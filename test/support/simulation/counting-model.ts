// Model of a counting server in a simulated world: what it has counted, its clock, and the network before it.

import {
  type CountedSlot,
  type CountingServer,
  CountingTooSlow,
  CountsLost,
  type Marks,
  PARTS,
  type Place,
  type TakeReply,
  type TakeRequest,
} from '../../../src/access/limits/shared/counting-server.ts';
import { SteadyClock } from '../../../src/access/limits/shared/steady-clock.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { World } from './world.ts';

const LIMIT = 20;
const WORK_LIMIT = 250;

/** How the network between one process and the server is. */
export interface Link {
  state: 'pass' | 'refused' | 'blackhole';
  /** Milliseconds, each way, at most. */
  delay: number;
}

export class CountingModel {
  readonly #world: World;
  isUp = true;
  /** Milliseconds by which its clock is wrong. */
  clockError = 0;
  #run = 1;
  readonly #marks = new Map<string, string>();
  readonly #slots = new Map<string, Map<string, number>>();

  constructor(world: World) {
    this.#world = world;
  }

  get time(): number {
    return this.#world.now + this.clockError;
  }

  /** Everything is gone. */
  empty(): void {
    this.#marks.clear();
    this.#slots.clear();
  }

  /** Another server goes on, with what it had got of this one: some of the latest slots are missing. */
  failOver(lost: number): void {
    this.#run++;
    for (const slots of this.#slots.values())
      for (const name of [...slots.keys()].slice(-lost)) slots.delete(name);
  }

  open(namespace: string, create: boolean, random: string): Marks {
    return Array.from({ length: PARTS }, (_, part) => {
      const key = String(part);
      const found = this.#marks.get(key);
      const suffix = `:${this.#run}`;
      if (found?.startsWith(`${namespace}:`) && found.endsWith(suffix)) return found.slice(0, -suffix.length);
      if (!create) throw new CountsLost('no mark');
      const mark = `${namespace}:${random}`;
      this.#marks.set(key, `${mark}${suffix}`);
      return mark;
    });
  }

  require(part: number, mark: string): void {
    if (this.#marks.get(String(part)) !== `${mark}:${this.#run}`) throw new CountsLost('another mark');
  }

  /** The slots of a place that are taken now. */
  slotsOf({ part, mark, key }: Place): Map<string, number> {
    this.require(part, mark);
    const name = `${mark.split(':')[1]}:${key}`;
    const slots = this.#slots.get(name) ?? new Map<string, number>();
    this.#slots.set(name, slots);
    for (const [slot, until] of slots) if (until <= this.time) slots.delete(slot);
    return slots;
  }
}

/** The server as one process reaches it. */
/** @param onSlow called when an answer came too late for a request */
export function reachModel(
  world: World,
  model: CountingModel,
  link: Link,
  clock: Clock,
  onSlow: () => void,
): CountingServer {
  const steady = new SteadyClock();

  /** Runs it at the server after one way, and gives the result after the other. */
  function call<T>(limit: number, parts: readonly number[], work: () => T): Promise<T> {
    const sentAt = clock.monotonic();
    return new Promise((resolve, reject) => {
      const late = world.after(limit, () => {
        if (limit === LIMIT) onSlow();
        reject(new CountingTooSlow('no answer'));
      });
      const answer = (settle: () => void): void => {
        world.after(world.between(0, link.delay), () => {
          if (link.state === 'blackhole') return;
          late();
          settle();
        });
      };
      world.after(world.between(0, link.delay), () => {
        if (link.state === 'blackhole') return;
        if (link.state === 'refused' || !model.isUp) return answer(() => reject(new Error('refused')));
        const time = model.time;
        try {
          const result = work();
          answer(() => {
            try {
              for (const part of parts) steady.observe(part, time, sentAt, clock.monotonic());
              resolve(result);
            } catch (error) {
              reject(error);
            }
          });
        } catch (error) {
          answer(() => reject(error));
        }
      });
    });
  }

  const all = Array.from({ length: PARTS }, (_, part) => part);
  return {
    open: (namespace, create) => {
      steady.forget();
      const random = String(Math.floor(world.between(0, 1e9)));
      return call(WORK_LIMIT, all, () => model.open(namespace, create, random));
    },
    check: (_namespace, marks) =>
      call(WORK_LIMIT, all, () => {
        for (const [part, mark] of marks.entries()) model.require(part, mark);
      }),
    take: (place: Place, { quota, wanted, window, prefix, first }: TakeRequest) =>
      call(LIMIT, [place.part], (): TakeReply => {
        const slots = model.slotsOf(place);
        const granted = Math.max(0, Math.min(wanted, quota - slots.size));
        for (let at = first; at < first + granted; at++) slots.set(`${prefix}${at}`, model.time + window);
        const untils = [...slots.values()].toSorted((one, other) => one - other);
        const next = untils[Math.max(0, slots.size - quota)];
        const reset = next === undefined ? 0 : next - model.time;
        return { granted, free: Math.max(0, quota - slots.size), reset };
      }),
    put: (place: Place, slots: readonly CountedSlot[]) =>
      call(WORK_LIMIT, [place.part], () => {
        const taken = model.slotsOf(place);
        for (const { name, left } of slots) taken.set(name, model.time + left);
      }),
    release: (place: Place, names: readonly string[]) =>
      call(WORK_LIMIT, [place.part], () => {
        const taken = model.slotsOf(place);
        for (const name of names) taken.delete(name);
      }),
    close: () => {},
  };
}
