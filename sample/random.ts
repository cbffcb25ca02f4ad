// Seeded random generators and hashes, so that one seed always gives one market.

/** 32-bit hash of a text (FNV-1a with a final mix). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return mix(hash);
}

/** Spreads the bits of a 32-bit integer; unsigned result. */
export function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A small fast generator (mulberry32). Its whole state is one integer. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A generator for one purpose: the same words always give the same stream. */
  static of(...words: readonly (string | number)[]): Random {
    return new Random(hashText(words.join('/')));
  }

  /** Uniform in [0, 1). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** Whole number in [from, to], both included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1));
  }

  between(from: number, to: number): number {
    return from + this.unit() * (to - from);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** Standard normal (Box-Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.unit()));
    return radius * Math.cos(2 * Math.PI * this.unit());
  }

  /** Log-normal with the given median and spread of the logarithm. */
  logNormal(median: number, spread: number): number {
    return median * Math.exp(spread * this.normal());
  }

  pick<T>(list: readonly T[]): T {
    const value = list[Math.floor(this.unit() * list.length)];
    if (value === undefined) throw new Error('Nothing to pick from');
    return value;
  }

  /** One of the keys, each as likely as its weight. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    const keys = Object.keys(weights) as K[];
    let left = this.unit() * keys.reduce((sum, key) => sum + (weights[key] ?? 0), 0);
    for (const key of keys) {
      left -= weights[key] ?? 0;
      if (left < 0) return key;
    }
    return this.pick(keys);
  }

  /** Each item kept with the given probability, in order. */
  some<T>(list: readonly T[], probability: number): T[] {
    return list.filter(() => this.chance(probability));
  }
}
