// Text conditions of watchers as numbers of words: each is checked for both sides of a change with few reads of memory.

import type { TextTerm } from '../../../search/query/condition-kinds.ts';
import { BOTH } from './change-sides.ts';
import { enlarged } from './posting-lists.ts';
import { WordNumbers } from './word-numbers.ts';

const MIN_CAPACITY = 1_024;

/** Conditions in which each term is one of some words, without exceptions and areas. */
export class TextConditions {
  readonly #words = new WordNumbers();
  /** A condition is for each of its terms the count of its words and their numbers, then 0. Place 0 is no condition. */
  #pool = new Uint32Array(MIN_CAPACITY);
  #used = 1;
  /** Places of removed conditions by their lengths. */
  readonly #free = new Map<number, number[]>();

  /** The place of a new condition; 0: it cannot be told by words alone. */
  add(terms: readonly TextTerm[]): number {
    if (!terms.every(isPlain)) return 0;
    const numbers = terms.flatMap(({ forms }) => [
      forms.length,
      ...forms.map(({ lexeme }) => this.#words.add(lexeme)),
    ]);
    const place = this.#free.get(numbers.length)?.pop() ?? this.#append(numbers.length);
    this.#pool.set(numbers, place);
    return place;
  }

  remove(place: number): void {
    let at = place;
    for (let count = this.#pool[at] ?? 0; count > 0; count = this.#pool[at] ?? 0) {
      for (const number of this.#pool.subarray(at + 1, at + 1 + count)) this.#words.remove(number);
      at += 1 + count;
    }
    const length = at - place;
    this.#free.set(length, [...(this.#free.get(length) ?? []), place]);
  }

  /** Begins a change of a listing with these words. */
  next(before: ReadonlySet<string> | null, after: ReadonlySet<string> | null): void {
    this.#words.next(before, after);
  }

  /** The sides of the change that meet the condition. */
  matchedSides(place: number): number {
    const pool = this.#pool;
    const wordSides = this.#words.sides();
    let sides = BOTH;
    let at = place;
    for (let count = pool[at] ?? 0; count > 0 && sides !== 0; count = pool[at] ?? 0) {
      const end = at + 1 + count;
      let termSides = 0;
      for (at++; at < end; at++) termSides |= wordSides[pool[at] ?? 0] ?? 0;
      sides &= termSides;
    }
    return sides;
  }

  #append(length: number): number {
    const place = this.#used;
    this.#used += length + 1;
    if (this.#used > this.#pool.length) this.#pool = enlarged(this.#pool, 1.5 * this.#used);
    return place;
  }
}

const isPlain = ({ forms, areaNos }: TextTerm): boolean =>
  areaNos.size === 0 && forms.length > 0 && forms.every(({ without }) => without.length === 0);
