// Seeded random numbers: a run prints its seed, so that every failure can be repeated.

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below the bound. */
  below(bound: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
}

/** Mulberry32: small, and even enough to choose test cases. Prints the seed. */
export function createRandom(seed: number): Random {
  console.log(`Random numbers with seed ${seed}`);
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('There is nothing to pick from');
      return list[below(list.length)] as T;
    },
    chance: (probability) => next() < probability,
  };
}
