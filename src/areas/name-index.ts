// Index of area names for autocomplete, tolerant of typos.

import { eventLoop } from '../lib/scheduler.ts';
import type { AreaType } from '../listings/vocabulary.ts';
import { Spelling } from '../text/spelling.ts';
import { plainLetters as plain, splitWords, tokenize } from '../text/tokenize.ts';
import type { QueryWord } from './query.ts';

/** An area to index. */
export interface IndexedArea {
  readonly no: number;
  readonly type: AreaType;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly codes: Readonly<Record<string, string>>;
}

/** Bounds on the memory of one area and on the time to compare a word. */
const MAX_WORDS = 40;
const MAX_WORD_LENGTH = 60;

interface Entry {
  readonly no: number;
  readonly type: AreaType;
  /** The normalised name and aliases. */
  readonly names: readonly string[];
}

export class AreaNameIndex {
  readonly #entries: Entry[] = [];
  /** Positions of the entries with each word. */
  readonly #byWord = new Map<string, number[]>();
  #words: readonly string[] = [];
  #spelling = new Spelling([]);

  /** `areas` must be sorted by how well known they are: that order decides between equally good matches. */
  static async of(areas: readonly IndexedArea[]): Promise<AreaNameIndex> {
    const names = new AreaNameIndex();
    await eventLoop.forEach(areas, (area) => names.#add(area));
    names.#words = [...names.#byWord.keys()].sort();
    names.#spelling = new Spelling(names.#words);
    return names;
  }

  #add({ no, type, name, aliases, codes }: IndexedArea): void {
    const position = this.#entries.length;
    const allNames = [name, ...aliases];
    this.#entries.push({ no, type, names: allNames.map(normalizeName) });
    const words = [...allNames, ...Object.values(codes)].flatMap((text) => [
      ...splitWords(text).map(plain),
      ...tokenize(text).map(plain),
    ]);
    for (const word of [...new Set(words)].slice(0, MAX_WORDS)) {
      if (word.length > MAX_WORD_LENGTH) continue;
      const positions = this.#byWord.get(word);
      if (positions) positions.push(position);
      else this.#byWord.set(word, [position]);
    }
  }

  /** Numbers of the areas that match the text, best first; null as `type` means any. */
  *suggest(text: string, words: readonly QueryWord[], type: AreaType | null): Generator<number> {
    for (const positions of this.#exact(text, words) ?? this.#misspelt(words)) {
      for (const position of positions) {
        const entry = this.#entries[position];
        if (entry && (type === null || entry.type === type)) yield entry.no;
      }
    }
  }

  /** Numbers of the areas that match misspelt words, best first; null if an area matches them exactly. */
  correct(words: readonly QueryWord[]): number[] | null {
    if (this.#matchingAll(words.map((word) => this.#withPrefix(word))).positions.length > 0) return null;
    return this.#misspelt(words)
      .flat()
      .map((position) => this.#entries[position]?.no ?? 0);
  }

  /** Positions of equal names, names with the prefix, and names with all words; null without any. */
  #exact(text: string, words: readonly QueryWord[]): number[][] | null {
    const query = normalizeName(text);
    const [equal, prefixed, others]: [number[], number[], number[]] = [[], [], []];
    const { positions } = this.#matchingAll(words.map((word) => this.#withPrefix(word)));
    for (const position of positions) {
      const names = this.#entries[position]?.names ?? [];
      if (names.includes(query)) equal.push(position);
      else if (names.some((name) => name.startsWith(query))) prefixed.push(position);
      else others.push(position);
    }
    return positions.length === 0 ? null : [equal, prefixed, others];
  }

  /** Positions by edit distance, whole words before prefixes, short names before long ones. */
  #misspelt(words: readonly QueryWord[]): number[][] {
    const { positions, costs } = this.#matchingAll(words.map((word) => this.#near(word)));
    const fits: number[][] = [];
    for (const position of positions) {
      const names = this.#entries[position]?.names ?? [];
      const isLonger = names.every((name) => name.split(' ').length > words.length);
      const fit = 2 * (costs[position] ?? 0) + (isLonger ? 1 : 0);
      fits[fit] ??= [];
      fits[fit].push(position);
    }
    return [...fits].map((fitting) => fitting ?? []);
  }

  #withPrefix({ beginning, forms }: QueryWord): MatchedWord[] {
    const start = plain(beginning);
    const found: MatchedWord[] = forms.map((form) => ({ word: plain(form), cost: 0 }));
    for (let at = lowerBound(this.#words, start); at < this.#words.length; at++) {
      const word = this.#words[at] ?? '';
      if (!word.startsWith(start)) break;
      found.push({ word, cost: 0 });
    }
    return found;
  }

  #near(query: QueryWord): MatchedWord[] {
    const word = plain(query.beginning);
    const max = maxEdits(word);
    if (max === 0) return this.#withPrefix(query);
    const near = [...this.#spelling.near(word, max)].map(({ at, steps, whole }) => ({
      word: this.#words[at] ?? '',
      cost: 2 * steps + (whole ? 0 : 1),
    }));
    return [...this.#withPrefix(query), ...near].sort((a, b) => a.cost - b.cost);
  }

  /** Positions of the entries that match every word, ascending, and the sum of the lowest costs by position. */
  #matchingAll(words: readonly (readonly MatchedWord[])[]): { positions: number[]; costs: Uint8Array } {
    const matched = new Uint8Array(this.#entries.length);
    const costs = new Uint8Array(this.#entries.length);
    for (const [at, found] of words.entries()) {
      // Sorted by cost, so the first match of an entry is its lowest cost.
      for (const { word, cost } of found) {
        for (const position of this.#byWord.get(word) ?? []) {
          if (matched[position] !== at) continue;
          matched[position] = at + 1;
          costs[position] = (costs[position] ?? 0) + cost;
        }
      }
    }
    const positions: number[] = [];
    for (let position = 0; position < matched.length; position++)
      if (matched[position] === words.length) positions.push(position);
    return { positions, costs };
  }
}

interface MatchedWord {
  readonly word: string;
  readonly cost: number;
}

const normalizeName = (text: string): string => tokenize(text).map(plain).join(' ');

/** Edits that a typo may have; none in numbers and short words. */
function maxEdits(word: string): number {
  if (word.length < 4 || word.length > MAX_WORD_LENGTH || /\d/.test(word)) return 0;
  return word.length < 8 ? 1 : 2;
}

/** Index of the first word that does not sort before `start`. */
function lowerBound(words: readonly string[], start: string): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] ?? '') < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
