// Typo tolerance against many sorted words at once: whole words, or prefixes of them.

/** A match of a word in the list: by so many edits, as a whole or by a prefix. */
export interface SpellingMatch {
  /** Position in the list. */
  readonly at: number;
  readonly steps: number;
  readonly whole: boolean;
}

/**
 * Words within so many edits: insertions, deletions, substitutions and transpositions of neighbours. Rows of the edit
 * table are reused for the prefix that a word shares with the one before, and a word is abandoned once it cannot match,
 * so a search of the whole vocabulary costs little more than its prefixes.
 */
export class Spelling {
  readonly #words: readonly string[];
  /** Letters that each word has in common with the one before. */
  readonly #common: Uint8Array;

  /** `words` are sorted by code unit, without repeats, none longer than 255. */
  constructor(words: readonly string[]) {
    this.#words = words;
    this.#common = Uint8Array.from(words, (word, at) => commonLetters(word, words[at - 1] ?? ''));
  }

  *near(query: string, maxSteps: number): Generator<SpellingMatch> {
    const table = new StepTable(query, maxSteps);
    for (let at = 0; at < this.#words.length; at++) {
      table.read(this.#words[at] ?? '', this.#common[at] ?? 0);
      if (table.whole <= maxSteps) yield { at, steps: table.whole, whole: true };
      else if (table.prefix <= maxSteps) yield { at, steps: table.prefix, whole: false };
    }
  }
}

function commonLetters(a: string, b: string): number {
  let letters = 0;
  while (letters < a.length && a[letters] === b[letters]) letters++;
  return letters;
}

/** Edit table: row d has the edits from each prefix of the query to the first d letters of the current word. */
class StepTable {
  readonly #query: string;
  readonly #maxSteps: number;
  readonly #rows: Uint8Array[];
  /** For each depth, the fewest edits from the whole query to any prefix of the word up to there. */
  readonly #best: Uint8Array;
  #depth = 0;
  /** True once no longer word can match: all numbers of the last row exceed maxSteps. */
  #exhausted = false;
  whole = 0;
  prefix = 0;

  constructor(query: string, maxSteps: number) {
    this.#query = query;
    this.#maxSteps = maxSteps;
    // Deeper rows are never reached.
    const rows = query.length + maxSteps + 2;
    this.#rows = Array.from({ length: rows }, () => new Uint8Array(query.length + 1));
    this.#rows[0]?.forEach((_, at, row) => {
      row[at] = at;
    });
    this.#best = new Uint8Array(rows).fill(query.length);
  }

  /** Reads the next word; `common` are the letters it shares with the word before. */
  read(word: string, common: number): void {
    if (this.#exhausted && common >= this.#depth) {
      this.whole = this.#maxSteps + 1;
      return;
    }
    if (common < this.#depth) {
      this.#depth = common;
      this.#exhausted = false;
    }
    while (!this.#exhausted && this.#depth < word.length && this.#depth + 1 < this.#rows.length)
      this.#deepen(word);
    this.prefix = this.#best[this.#depth] ?? this.#maxSteps + 1;
    const complete = this.#depth === word.length;
    this.whole = complete ? (this.#rows[this.#depth]?.[this.#query.length] ?? 0) : this.#maxSteps + 1;
  }

  #deepen(word: string): void {
    const depth = ++this.#depth;
    const [row, above, second] = [this.#rows[depth], this.#rows[depth - 1], this.#rows[depth - 2]];
    if (!row || !above) return;
    const query = this.#query;
    const [letter, before] = [word.charCodeAt(depth - 1), word.charCodeAt(depth - 2)];
    row[0] = depth;
    let lowest = depth;
    for (let at = 1; at < row.length; at++) {
      const same = letter === query.charCodeAt(at - 1);
      let steps = Math.min(
        (above[at - 1] ?? 0) + (same ? 0 : 1),
        (above[at] ?? 0) + 1,
        (row[at - 1] ?? 0) + 1,
      );
      const exchanged = before === query.charCodeAt(at - 1) && letter === query.charCodeAt(at - 2);
      if (second && at > 1 && exchanged) steps = Math.min(steps, (second[at - 2] ?? 0) + 1);
      row[at] = steps;
      lowest = Math.min(lowest, steps);
    }
    this.#best[depth] = Math.min(this.#best[depth - 1] ?? 0, row[row.length - 1] ?? 0);
    this.#exhausted = lowest > this.#maxSteps;
  }
}
