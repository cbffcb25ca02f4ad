// Posting lists: the watchers of each key, as ranges of one pool of numbers.

const MIN_CAPACITY = 1_024;

/** A list by its key costs about 80 bytes for the key and 4 to 8 for each watcher. */
export class PostingLists {
  readonly #listOf = new Map<string, number>();
  /** First letters of keys. */
  readonly #letters = new Set<string>();
  /** For each list its start in the pool, its length and its capacity. */
  #lists = new Uint32Array(3 * MIN_CAPACITY);
  #pool = new Uint32Array(MIN_CAPACITY);
  #used = 0;

  /** The number of the list of a key; -1: no watcher has it. */
  find(key: string): number {
    return this.#listOf.get(key) ?? -1;
  }

  /** The numbers of the lists are below it. */
  get count(): number {
    return this.#listOf.size;
  }

  /** Whether a key begins with this letter. */
  hasLetter(letter: string): boolean {
    return this.#letters.has(letter);
  }

  start(list: number): number {
    return this.#lists[3 * list] ?? 0;
  }

  length(list: number): number {
    return this.#lists[3 * list + 1] ?? 0;
  }

  /** The pool that `start` and `length` refer to; another one after `add`. */
  get pool(): Uint32Array {
    return this.#pool;
  }

  add(key: string, slot: number): void {
    let list = this.#listOf.get(key);
    if (list === undefined) {
      list = this.#listOf.size;
      this.#listOf.set(key, list);
      this.#letters.add(key.charAt(0));
      if (3 * list >= this.#lists.length) this.#lists = enlarged(this.#lists, 2 * this.#lists.length);
    }
    const [start, length, capacity] = [this.start(list), this.length(list), this.#lists[3 * list + 2] ?? 0];
    const place = length < capacity ? start : this.#move(list, start, length);
    this.#pool[place + length] = slot;
    this.#lists[3 * list + 1] = length + 1;
  }

  /** Moves a full list to the end of the pool, with twice the room. */
  #move(list: number, start: number, length: number): number {
    const capacity = Math.max(1, 2 * length);
    const end = this.#used + capacity;
    if (end > this.#pool.length) this.#pool = enlarged(this.#pool, Math.max(end, 1.5 * this.#pool.length));
    this.#pool.copyWithin(this.#used, start, start + length);
    const place = this.#used;
    this.#used = end;
    this.#lists[3 * list] = place;
    this.#lists[3 * list + 2] = capacity;
    return place;
  }

  /** The slots of a list; a view, until `add`. */
  slots(list: number): Uint32Array {
    return this.#pool.subarray(this.start(list), this.start(list) + this.length(list));
  }

  /** Sorts each list. Returns the kept slots of `count` in the order of the first list that each is in. */
  sort(
    count: number,
    isKept: (slot: number) => boolean,
    compare: (a: number, b: number) => number,
  ): number[] {
    const slots: number[] = [];
    const isTaken = new Uint8Array(count);
    const take = (slot: number): void => {
      if (isTaken[slot] === 1 || !isKept(slot)) return;
      isTaken[slot] = 1;
      slots.push(slot);
    };
    for (const list of this.#listOf.values()) this.slots(list).sort(compare).forEach(take);
    for (let slot = 0; slot < count; slot++) take(slot);
    return slots;
  }

  /** The same lists packed, with each slot renumbered; a negative number removes it. */
  renumbered(newSlot: Int32Array): PostingLists {
    const packed = new PostingLists();
    for (const [key, list] of this.#listOf)
      for (const slot of this.slots(list)) {
        const number = newSlot[slot] ?? -1;
        if (number >= 0) packed.add(key, number);
      }
    return packed;
  }
}

export function enlarged(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.ceil(length));
  larger.set(array);
  return larger;
}
