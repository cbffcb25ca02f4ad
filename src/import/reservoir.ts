// Sample of bounded size of what a file holds, the same for the same file.

export class Reservoir<T> {
  readonly items: T[] = [];
  readonly #size: number;
  #seen = 0;
  #state = 1;

  constructor(size: number) {
    this.#size = size;
  }

  add(item: T): void {
    this.#seen++;
    if (this.items.length < this.#size) {
      this.items.push(item);
      return;
    }
    const at = this.#random(this.#seen);
    if (at < this.#size) this.items[at] = item;
  }

  /** Below `limit`, by the generator of Park and Miller. */
  #random(limit: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return Math.floor((this.#state / 2_147_483_647) * limit);
  }
}
