// The servers of one database, of which one takes writes: it is looked for whenever a connection cannot be made.

import type { ConnectionTarget } from './connection-url.ts';

export class Servers {
  readonly #all: readonly ConnectionTarget[];
  #at = 0;

  constructor({ others = [], ...first }: ConnectionTarget) {
    this.#all = [first, ...others.map((address) => ({ ...first, ...address }))];
  }

  get count(): number {
    return this.#all.length;
  }

  /** The one to connect to. */
  get current(): ConnectionTarget {
    return this.#all[this.#at] as ConnectionTarget;
  }

  /** Goes on to the next one, unless another connection has found out already. */
  pass(target: ConnectionTarget): void {
    if (target === this.current) this.#at = (this.#at + 1) % this.#all.length;
  }
}
