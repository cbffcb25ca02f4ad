// Owns the bounded memory of callers: who was heard of within the last minute is never forgotten, whoever else calls.
import { WINDOW } from './ring.ts';

/**
 * Two generations of a map. Whoever calls is moved to the young one; once a minute the old one is dropped. What is
 * dropped has been silent for at least 60 seconds, so its ring is empty and forgetting it frees nobody from a limit.
 */
export class Roster<Entry> {
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #turned: number;
  readonly #capacity: number;
  readonly #create: () => Entry;
  readonly #dropped: (entries: Iterable<[string, Entry]>) => void;

  /** @param now the monotonic time at the start  @param dropped is given what is being forgotten */
  constructor(options: {
    readonly capacity: number;
    readonly now: number;
    readonly create: () => Entry;
    readonly dropped?: (entries: Iterable<[string, Entry]>) => void;
  }) {
    this.#capacity = options.capacity;
    this.#turned = options.now;
    this.#create = options.create;
    this.#dropped = options.dropped ?? (() => {});
  }

  /** The caller's entry, made where there is none; undefined when as many callers as fit were active of late. */
  enter(name: string, now: number): Entry | undefined {
    if (now - this.#turned >= WINDOW) this.#turn(now);
    const known = this.#young.get(name);
    if (known !== undefined) return known;
    const earlier = this.#old.get(name);
    if (earlier !== undefined) {
      this.#old.delete(name);
      this.#young.set(name, earlier);
      return earlier;
    }
    if (this.size >= this.#capacity) return undefined;
    const entry = this.#create();
    this.#young.set(name, entry);
    return entry;
  }

  /** The caller's entry without counting as a sign of life. */
  peek(name: string): Entry | undefined {
    return this.#young.get(name) ?? this.#old.get(name);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Milliseconds until the next generation is dropped, and with it room is made. */
  untilTurn(now: number): number {
    return Math.max(0, this.#turned + WINDOW - now);
  }

  /** Forgets everybody, handing them to `dropped`. */
  clear(): void {
    this.#dropped(this.#old);
    this.#dropped(this.#young);
    this.#old = new Map();
    this.#young = new Map();
  }

  #turn(now: number): void {
    this.#turned = now;
    const leaving = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    this.#dropped(leaving);
  }
}
