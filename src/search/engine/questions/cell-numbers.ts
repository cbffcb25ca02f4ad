// Numbers of the cells of a map, given in the order in which they come. A table of its own, since a Map that holds as many cells as
// there are listings grows at once, for many milliseconds, and is as long to look through for who collects garbage.

/** Shares of the table, each of which grows by itself. */
const SHARES = 64;
const FIRST_CAPACITY = 16;
/** Below the key of every cell. */
const FREE = -1;

interface Share {
  readonly keys: Float64Array;
  readonly numbers: Uint32Array;
  used: number;
}

export class CellNumbers {
  readonly #rows: number;
  readonly #shares: Share[] = [];
  #count = 0;

  /** `rows`: how many the grid has; the product with its columns is a safe integer. */
  constructor(rows: number) {
    this.#rows = rows;
  }

  /** Cells that have a number, from 0 on. */
  get count(): number {
    return this.#count;
  }

  /** The number of a cell: the next one if it is new. */
  numberOf(column: number, row: number): number {
    const hash = hashOf(column, row);
    const at = hash % SHARES;
    const share = this.#shares[at] ?? newShare(FIRST_CAPACITY);
    const key = column * this.#rows + row;
    const slot = slotOf(share, key, hash);
    if (share.keys[slot] === key) return share.numbers[slot] as number;
    share.keys[slot] = key;
    share.numbers[slot] = this.#count;
    share.used++;
    this.#shares[at] = 2 * share.used > share.keys.length ? this.#enlarged(share) : share;
    return this.#count++;
  }

  #enlarged({ keys, numbers, used }: Share): Share {
    const larger = { ...newShare(2 * keys.length), used };
    for (const [at, key] of keys.entries()) {
      if (key === FREE) continue;
      const row = key % this.#rows;
      const slot = slotOf(larger, key, hashOf((key - row) / this.#rows, row));
      larger.keys[slot] = key;
      larger.numbers[slot] = numbers[at] as number;
    }
    return larger;
  }
}

const newShare = (capacity: number): Share => ({
  keys: new Float64Array(capacity).fill(FREE),
  numbers: new Uint32Array(capacity),
  used: 0,
});

/** Where the key is, or would be. */
function slotOf({ keys }: Share, key: number, hash: number): number {
  const last = keys.length - 1;
  let slot = Math.floor(hash / SHARES) & last;
  while (keys[slot] !== key && keys[slot] !== FREE) slot = (slot + 1) & last;
  return slot;
}

/** Neighbours are far from each other by it. */
function hashOf(column: number, row: number): number {
  const mixed = Math.imul(Math.imul(column, 0x9e37_79b1) ^ row, 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
