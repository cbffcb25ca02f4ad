// Report of a field over all rows of a file: how often it is filled, between which values, and what looks odd.

import { type Field, NUMBER_KINDS } from './mapping/fields.ts';
import type { Value } from './mapping/values.ts';
import { Reservoir } from './reservoir.ts';

/** A value, and where its row is. */
export interface PlacedValue {
  readonly value: number | string;
  readonly place: number;
}

export interface OutsideValues {
  readonly count: number;
  readonly min: number | string;
  readonly max: number | string;
  readonly examples: readonly PlacedValue[];
}

export interface FieldSummary {
  readonly filled: number;
  readonly empty: number;
  /** Of numbers and dates. */
  readonly smallest?: PlacedValue;
  readonly median?: number | string;
  readonly largest?: PlacedValue;
  /** Values outside the band that homes usually have. */
  readonly outside?: OutsideValues;
  /** The most frequent values of a choice with their counts, else a few of the first. */
  readonly values?: Readonly<Record<string, number>>;
  readonly examples?: readonly string[];
}

/** Values from which the median is taken; of fewer it is exact. */
const SAMPLED_VALUES = 20_000;
const MAX_EXAMPLES = 3;
const MAX_CHOICES = 20;
/** Amounts of money are plausible up to so many times their median, and down to that part of it. */
const MONEY_FACTOR = 100;
/** Classes of amounts in which one is twice as large as another. */
const CLASSES_PER_DOUBLING = 8;
const PLAUSIBLE_DATES = ['1900-01-01', '2100-01-01'] as const;
const MONEY_KINDS: readonly string[] = ['money', 'monthlyMoney'];
const DATE_KINDS: readonly string[] = ['date', 'time', 'timeOrDate'];

interface AmountClass {
  count: number;
  readonly first: PlacedValue;
}

export class FieldReport {
  readonly #field: Field;
  readonly #isOrdered: boolean;
  #filled = 0;
  #empty = 0;
  #smallest: PlacedValue | null = null;
  #largest: PlacedValue | null = null;
  #outside = 0;
  readonly #odd: PlacedValue[] = [];
  readonly #sample = new Reservoir<number | string>(SAMPLED_VALUES);
  readonly #amounts = new Map<number, AmountClass>();
  readonly #choices = new Map<string, number>();
  readonly #examples = new Set<string>();

  constructor(field: Field) {
    this.#field = field;
    this.#isOrdered = NUMBER_KINDS.includes(field.kind) || DATE_KINDS.includes(field.kind);
  }

  add(value: Value | null, place: number): void {
    if (value === null || (Array.isArray(value) && value.length === 0)) {
      this.#empty++;
      return;
    }
    this.#filled++;
    if (this.#isOrdered && (typeof value === 'number' || typeof value === 'string'))
      this.#addOrdered({ value, place });
    else if (typeof value === 'boolean' || this.#field.choices || this.#field.kind === 'currency')
      this.#addChoice(String(value));
    else if (this.#examples.size < MAX_EXAMPLES) this.#examples.add(exampleOf(value));
  }

  summary(): FieldSummary {
    const counts = { filled: this.#filled, empty: this.#empty };
    if (this.#smallest !== null && this.#largest !== null) {
      const sorted = this.#sample.items.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const median = sorted[(sorted.length - 1) >> 1] ?? 0;
      const outside = this.#outsideOf(median);
      const ordered = { ...counts, smallest: this.#smallest, median, largest: this.#largest };
      return outside === null ? ordered : { ...ordered, outside };
    }
    if (this.#choices.size > 0) {
      const frequent = [...this.#choices].sort(([, a], [, b]) => b - a);
      return { ...counts, values: Object.fromEntries(frequent) };
    }
    return { ...counts, examples: [...this.#examples] };
  }

  #addOrdered(placed: PlacedValue): void {
    const { value } = placed;
    if (this.#smallest === null || value < this.#smallest.value) this.#smallest = placed;
    if (this.#largest === null || value > this.#largest.value) this.#largest = placed;
    this.#sample.add(value);
    if (MONEY_KINDS.includes(this.#field.kind)) {
      this.#addAmount(Number(value), placed);
      return;
    }
    const band = this.#band();
    if (band === null || (value >= band[0] && value <= band[1])) return;
    this.#outside++;
    if (this.#odd.length < MAX_EXAMPLES) this.#odd.push(placed);
  }

  #addAmount(value: number, first: PlacedValue): void {
    const at = Math.floor(Math.log2(Math.max(value, 0.01)) * CLASSES_PER_DOUBLING);
    const known = this.#amounts.get(at);
    if (known === undefined) this.#amounts.set(at, { count: 1, first });
    else known.count++;
  }

  #addChoice(value: string): void {
    const count = this.#choices.get(value) ?? 0;
    if (count > 0 || this.#choices.size < MAX_CHOICES) this.#choices.set(value, count + 1);
  }

  #band(): readonly [number | string, number | string] | null {
    if (DATE_KINDS.includes(this.#field.kind)) return PLAUSIBLE_DATES;
    return this.#field.plausible ?? null;
  }

  #outsideOf(median: number | string): OutsideValues | null {
    if (typeof median === 'number' && MONEY_KINDS.includes(this.#field.kind)) {
      const [min, max] = [median / MONEY_FACTOR, median * MONEY_FACTOR];
      const odd = [...this.#amounts.values()].filter(
        ({ first: { value } }) => Number(value) < min || Number(value) > max,
      );
      const count = odd.reduce((sum, each) => sum + each.count, 0);
      const examples = odd.map(({ first }) => first).slice(0, MAX_EXAMPLES);
      return count === 0 ? null : { count, min, max, examples };
    }
    const band = this.#band();
    if (band === null || this.#outside === 0) return null;
    return { count: this.#outside, min: band[0], max: band[1], examples: this.#odd };
  }
}

function exampleOf(value: Value): string {
  const text = Array.isArray(value) ? value.map(itemText).join(', ') : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

const itemText = (item: unknown): string => (typeof item === 'string' ? item : JSON.stringify(item));
