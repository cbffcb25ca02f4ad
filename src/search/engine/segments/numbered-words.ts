// Numbered words: words of a copy by their bytes, each with the number that it was given when it came for the first time.

import type { CopyFields } from '../../../postgres/client/copy-fields.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import { ByteWords } from './byte-words.ts';

/** Words with numbers that others give them when they come for the first time. */
export class NumberedWords {
  readonly #words = new ByteWords();
  readonly #numbers: number[] = [];
  readonly #numberOfNew: (bytes: Uint8Array) => number;

  constructor(numberOfNew: (bytes: Uint8Array) => number) {
    this.#numberOfNew = numberOfNew;
  }

  /** The number of the word that the fields stand at. */
  numberAt({ bytes, start, end }: CopyFields): number {
    const word = this.#words.numberOf(bytes, start, end);
    if (word === this.#numbers.length) this.#numbers.push(this.#numberOfNew(bytes.subarray(start, end)));
    return this.#numbers[word] ?? 0;
  }
}

/** The codes of words in a dictionary, to which new ones are added. */
export const codesOf = (dictionary: Dictionary): NumberedWords =>
  new NumberedWords((bytes) => dictionary.code(Buffer.from(bytes).toString()));
