// Comparison of two servers that do the same work: by time, and by processor time.

import { interval, median } from './statistics.ts';
import type { Row } from './throughput.ts';

/** What it took a server to deliver something to many. */
export interface Work {
  /** Between the first and the last delivery. */
  readonly milliseconds: number;
  /** Milliseconds of processor. */
  readonly processor: number;
}

export interface WorkPair {
  readonly ours: Work;
  readonly theirs: Work;
}

export interface Comparison {
  readonly name: string;
  /** The least ratio of deliveries a second, or by processor time. */
  readonly floor: number;
  /** Deliveries of each round. */
  readonly count: number;
  readonly bytes: number;
}

/** Share of its core that a server must keep busy for its speed to be its own, and not that of whoever receives. */
const BUSY = 0.9;

/** Two rows: the floor is for the first where both servers keep their core busy, else for the second. */
export function compareWork(pairs: readonly WorkPair[], { name, floor, count, bytes }: Comparison): Row[] {
  const all = (side: keyof WorkPair, of: (work: Work) => number) =>
    median(pairs.map((pair) => of(pair[side])));
  const busy = (side: keyof WorkPair) =>
    all(side, ({ processor, milliseconds }) => Math.min(1, processor / milliseconds));
  const isByTime = busy('ours') >= BUSY && busy('theirs') >= BUSY;
  const rate = (side: keyof WorkPair) =>
    Math.round((count / all(side, ({ milliseconds }) => milliseconds)) * 1_000).toLocaleString('en');
  const cost = (side: keyof WorkPair) =>
    ((all(side, ({ processor }) => processor) / count) * 1_000).toFixed(1);
  const cores = `cores ${Math.round(busy('ours') * 100)} and ${Math.round(busy('theirs') * 100)} % busy`;
  return [
    ratioRow(
      `${name}, deliveries a second`,
      pairs.map(({ ours, theirs }) => theirs.milliseconds / ours.milliseconds),
      `${rate('ours')} and ${rate('theirs')} of ${bytes} bytes; ${cores}`,
      isByTime ? { min: floor } : {},
    ),
    ratioRow(
      `${name}, deliveries by processor time`,
      pairs.map(({ ours, theirs }) => theirs.processor / ours.processor),
      `${cost('ours')} and ${cost('theirs')} µs each`,
      isByTime ? {} : { min: floor },
    ),
  ];
}

/** A row of a median with its 95 % interval, and what it must not be below or above. */
export function ratioRow(
  name: string,
  ratios: readonly number[],
  more: string,
  { min, max }: { readonly min?: number; readonly max?: number },
): Row {
  const [low, high] = interval(ratios);
  const value = median(ratios);
  const figure = `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})${more === '' ? '' : `: ${more}`}`;
  if (min !== undefined) return { name, figure, floor: `>= ${min.toFixed(2)}`, met: value >= min };
  if (max !== undefined) return { name, figure, floor: `<= ${max.toFixed(2)}`, met: value <= max };
  return { name, figure, floor: '', met: true };
}
