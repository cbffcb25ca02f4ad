// Summary of a column in bounded memory: how often it is filled, what its values look like, and which of them stand for all.

import { textOf } from '../mapping/items.ts';

/** A value, and for how many rows of the file it stands. */
export interface Representative {
  readonly text: string;
  readonly rows: number;
}

export interface ColumnSummary {
  readonly name: string;
  readonly rows: number;
  readonly filled: number;
  /** Every value with its rows; null where there are too many. */
  readonly values: ReadonlyMap<string, number> | null;
  readonly representatives: readonly Representative[];
  /** The first few different values. */
  readonly examples: readonly string[];
  /** Whether no value was repeated as far as values were remembered. */
  readonly seemsUnique: boolean;
  /** Characters of a filled value, on average. */
  readonly length: number;
}

const MAX_DISTINCT = 300;
const MAX_SHAPES = 60;
/** Values that stand for one shape. */
const MAX_PICKS = 3;
/** Groups of digits of which the largest is kept, since it shows what is a day and what a month. */
const MAX_GROUPS = 3;
const MAX_OTHERS = 100;
const MAX_EXAMPLES = 3;
/** Characters of a value that are kept. */
const MAX_LENGTH = 1_000;
const MAX_SHAPE_LENGTH = 60;
/** Values that are compared with each other. */
const REMEMBERED = 5_000;

interface Shape {
  rows: number;
  readonly picks: string[];
  /** By group of digits: the largest number, and the value that has it. */
  readonly largest: { number: number; text: string }[];
}

export class ColumnSummaryBuilder {
  readonly #name: string;
  #rows = 0;
  #filled = 0;
  #characters = 0;
  #values: Map<string, number> | null = new Map();
  readonly #shapes = new Map<string, Shape>();
  readonly #others: Shape = { rows: 0, picks: [], largest: [] };
  readonly #examples = new Set<string>();
  readonly #seen = new Set<number>();
  #seemsUnique = true;

  /** @param rowsBefore rows in which the column was missing before it first appeared */
  constructor(name: string, rowsBefore = 0) {
    this.#name = name;
    this.#rows = rowsBefore;
  }

  add(raw: unknown): void {
    this.#rows++;
    const whole = textOf(raw) ?? '';
    if (whole === '') return;
    this.#filled++;
    this.#characters += whole.length;
    const text = whole.length > MAX_LENGTH ? whole.slice(0, MAX_LENGTH) : whole;
    if (this.#examples.size < MAX_EXAMPLES) this.#examples.add(text);
    this.#count(text);
    this.#remember(text);
    this.#addShape(text);
  }

  summary(): ColumnSummary {
    return {
      name: this.#name,
      rows: this.#rows,
      filled: this.#filled,
      values: this.#values,
      representatives:
        this.#values === null
          ? this.#representatives()
          : [...this.#values].map(([text, rows]) => ({ text, rows })),
      examples: [...this.#examples],
      seemsUnique: this.#seemsUnique && this.#filled > 0,
      length: this.#filled === 0 ? 0 : this.#characters / this.#filled,
    };
  }

  #count(text: string): void {
    if (this.#values === null) return;
    const known = this.#values.get(text) ?? 0;
    if (known === 0 && this.#values.size >= MAX_DISTINCT) this.#values = null;
    else this.#values.set(text, known + 1);
  }

  #remember(text: string): void {
    if (!this.#seemsUnique || this.#seen.size >= REMEMBERED) return;
    const hash = hashOf(text);
    if (this.#seen.has(hash)) {
      this.#seemsUnique = false;
      this.#seen.clear();
    } else this.#seen.add(hash);
  }

  #addShape(text: string): void {
    const name = shapeOf(text);
    let shape = this.#shapes.get(name);
    if (shape === undefined && this.#shapes.size < MAX_SHAPES) {
      shape = { rows: 0, picks: [], largest: [] };
      this.#shapes.set(name, shape);
    }
    const known = shape ?? this.#others;
    known.rows++;
    if (known.picks.length < (shape === undefined ? MAX_OTHERS : MAX_PICKS) && !known.picks.includes(text))
      known.picks.push(text);
    if (shape !== undefined) keepLargest(shape, text);
  }

  #representatives(): Representative[] {
    return [...this.#shapes.values(), this.#others].flatMap(({ rows, picks, largest }) => {
      const texts = [...new Set([...picks, ...largest.map(({ text }) => text)])];
      return texts.map((text) => ({ text, rows: rows / texts.length }));
    });
  }
}

/** `03/14/2026` is `99/99/9999`, and `12 Oak Street` is `99 a a`. */
function shapeOf(text: string): string {
  return text
    .slice(0, MAX_SHAPE_LENGTH)
    .replace(/\p{L}+/gu, 'a')
    .replace(/\d/g, '9');
}

function keepLargest({ largest }: Shape, text: string): void {
  const groups = text.slice(0, MAX_SHAPE_LENGTH).match(/\d+/g) ?? [];
  for (const [at, group] of groups.slice(0, MAX_GROUPS).entries()) {
    const number = Number(group);
    const known = largest[at];
    if (known === undefined) largest[at] = { number, text };
    else if (number > known.number) Object.assign(known, { number, text });
  }
}

/** 53 bits, by the mixing of cyrb53. */
export function hashOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (b & 2_097_151) + (a >>> 0);
}
