// Set summary: the members of one set in one period and group, collected and summed up in some measures.

import type { Steps } from '../lib/scheduler.ts';
import { quantileSteps } from '../search/engine/questions/quantiles.ts';
import type { Measure, Summaries, Summary } from '../search/query/measures.ts';

/** What measures are read from; NaN: not known. */
export interface Member {
  price: number;
  livingArea: number;
  age: number;
  days: number;
  ratio: number;
  originalRatio: number;
  dropped: number;
  monthsFree: number;
}

/** A member of which nothing is known; it is filled again for each. */
export const memberOf = (): Member => ({
  price: Number.NaN,
  livingArea: Number.NaN,
  age: Number.NaN,
  days: Number.NaN,
  ratio: Number.NaN,
  originalRatio: Number.NaN,
  dropped: Number.NaN,
  monthsFree: Number.NaN,
});

const positive = (value: number): number => (value > 0 ? value : Number.NaN);
const within = (ratio: number): number => (ratio >= 0.5 && ratio <= 1.5 ? ratio : Number.NaN);

/** The measures as search/sql/metric-sql.ts has them; NaN: the member has none. */
function measure(name: Measure, member: Member): number {
  switch (name) {
    case 'price':
      return positive(member.price);
    case 'perArea':
      return positive(member.price) / positive(member.livingArea);
    case 'age':
      return member.age;
    case 'days':
      return member.days;
    case 'ratio':
      return within(member.ratio);
    case 'originalRatio':
      return within(member.originalRatio);
    case 'above':
      return Number.isNaN(member.ratio) ? Number.NaN : Number(member.ratio > 1);
    case 'dropped':
      return member.dropped;
    case 'percent':
      return member.ratio;
    case 'fast':
      return Number(member.days <= 14);
    case 'concession':
      return Number(member.monthsFree > 0);
    case 'monthsFree':
      return positive(member.monthsFree);
  }
}

/** Either 0 or 1: they have no quartiles. */
const FLAGS: ReadonlySet<Measure> = new Set<Measure>(['above', 'dropped', 'fast', 'concession']);

interface Collected {
  readonly measure: Measure;
  readonly isFlag: boolean;
  /** Of a flag: none. */
  readonly values: number[];
  n: number;
  sum: number;
}

export class SetSummary {
  readonly #collected: readonly Collected[];
  /** Members. */
  total = 0;

  constructor(measures: readonly Measure[]) {
    this.#collected = measures.map((each) => ({
      measure: each,
      isFlag: FLAGS.has(each),
      values: [],
      n: 0,
      sum: 0,
    }));
  }

  add(member: Member): void {
    this.total++;
    for (const each of this.#collected) {
      const value = measure(each.measure, member);
      if (Number.isNaN(value)) continue;
      each.n++;
      each.sum += value;
      if (!each.isFlag) each.values.push(value);
    }
  }

  *summaries(): Steps<Summaries> {
    const measures = new Map<Measure, Summary>();
    for (const each of this.#collected) measures.set(each.measure, yield* summaryOf(each));
    return { total: this.total, measures };
  }
}

function* summaryOf({ isFlag, values, n, sum }: Collected): Steps<Summary> {
  if (n === 0) return { n, mean: null, sum: null, quartiles: null };
  const mean = sum / n;
  if (isFlag) return { n, mean, sum, quartiles: null };
  const low = (yield* quantileSteps(values, 0.25)) ?? 0;
  const middle = (yield* quantileSteps(values, 0.5)) ?? 0;
  const high = (yield* quantileSteps(values, 0.75)) ?? 0;
  return { n, mean, sum, quartiles: [low, middle, high] };
}
