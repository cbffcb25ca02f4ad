// Numbers of the words that watchers read, and the sides of a change that have each.

import { AFTER, BEFORE, BOTH } from './change-sides.ts';

export class WordNumbers {
  readonly #numberOf = new Map<string, number>();
  readonly #words: string[] = [''];
  readonly #users: number[] = [0];
  readonly #free: number[] = [];
  #sides = new Uint8Array(64);
  /** Words of the change whose sides are set. */
  #marked: number[] = [];
  #before: ReadonlySet<string> | null = null;
  #after: ReadonlySet<string> | null = null;
  #isMarked = true;

  /** The number of a word, from 1. */
  add(word: string): number {
    const number = this.#numberOf.get(word) ?? this.#free.pop() ?? this.#words.length;
    this.#numberOf.set(word, number);
    this.#words[number] = word;
    this.#users[number] = (this.#users[number] ?? 0) + 1;
    return number;
  }

  remove(number: number): void {
    const users = (this.#users[number] ?? 0) - 1;
    this.#users[number] = users;
    if (users > 0) return;
    this.#numberOf.delete(this.#words[number] ?? '');
    this.#free.push(number);
  }

  next(before: ReadonlySet<string> | null, after: ReadonlySet<string> | null): void {
    [this.#before, this.#after, this.#isMarked] = [before, after, false];
  }

  /** The sides that have each word, by its number. Most changes concern no text, so they are set when they are first read. */
  sides(): Uint8Array {
    if (!this.#isMarked) this.#markWords();
    return this.#sides;
  }

  #markWords(): void {
    this.#isMarked = true;
    for (const number of this.#marked) this.#sides[number] = 0;
    this.#marked = [];
    if (this.#sides.length < this.#words.length) this.#sides = new Uint8Array(2 * this.#words.length);
    if (this.#before === this.#after) this.#mark(this.#after, BOTH);
    else {
      this.#mark(this.#before, BEFORE);
      this.#mark(this.#after, AFTER);
    }
  }

  #mark(words: ReadonlySet<string> | null, sides: number): void {
    for (const word of words ?? []) {
      const number = this.#numberOf.get(word);
      if (number === undefined) continue;
      this.#sides[number] = (this.#sides[number] ?? 0) | sides;
      this.#marked.push(number);
    }
  }
}
