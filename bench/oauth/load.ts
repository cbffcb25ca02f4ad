// Load of the OAuth comparisons: exchanges that use each token once, and two servers measured in turns.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { interval, median } from '../statistics.ts';
import { type Arm, type Load, loadWith, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { type Kind, REFRESH_PREFIX, type Seed } from './seed.ts';

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
export const SECONDS = 2;
/** Families in a load of refreshes: so many that none is asked for more than its share of a minute. */
const FAMILIES = 500;
/** More codes than any arm takes in a load. */
const CODES = 10_000;

/** A server, and how what it exchanges is made. */
export interface Exchanger {
  readonly arm: Arm;
  readonly seed: Seed;
}

/** Loads a token endpoint with exchanges of this kind, all of them freshly seeded. */
export async function loadExchanges(testbed: Testbed, { arm, seed }: Exchanger, kind: Kind): Promise<Load> {
  const bodies = await seed(kind, kind === 'code' ? CODES : FAMILIES);
  const file = join(testbed.folder, 'bodies.txt');
  await writeFile(file, `${bodies.join('\n')}\n`);
  const script = join(import.meta.dirname, 'exchanges.lua');
  const extra = kind === 'refresh' ? [REFRESH_PREFIX] : [];
  return loadWith(arm, ['-s', script, `${arm.url}/oauth/token`, '--', file, ...extra], SECONDS);
}

/** The rounds of two arms, in an order that turns. */
export interface Rounds {
  readonly ours: readonly Load[];
  readonly theirs: readonly Load[];
}

/** Measures both arms in turns; each round of an arm is two loads, added up. */
export async function inTurns(ours: () => Promise<Load>, theirs: () => Promise<Load>): Promise<Rounds> {
  const rounds = { ours: [] as Load[], theirs: [] as Load[] };
  await ours();
  await theirs();
  for (let round = 0; round < ROUNDS; round++) {
    const inner = round % 2 === 0 ? theirs : ours;
    const outer = round % 2 === 0 ? ours : theirs;
    const [first, second, third, fourth] = [await outer(), await inner(), await inner(), await outer()];
    const [outside, inside] = [sum(first, fourth), sum(second, third)];
    rounds.ours.push(round % 2 === 0 ? outside : inside);
    rounds.theirs.push(round % 2 === 0 ? inside : outside);
  }
  return rounds;
}

function sum(a: Load, b: Load): Load {
  return {
    requests: a.requests + b.requests,
    seconds: a.seconds + b.seconds,
    processor: a.processor + b.processor,
  };
}

const rate = ({ requests, seconds }: Load): number => requests / seconds;
const thrift = ({ requests, processor }: Load): number => requests / processor;
const busy = ({ processor, seconds }: Load): number => processor / seconds;

/**
 * By throughput where both servers kept their core busy; else by requests for each second of the server's processor, since
 * what was full then was the database's core or its disk. Both figures are printed.
 */
export function compared(name: string, { ours, theirs }: Rounds, floor: number): Row {
  const ratios = (of: (load: Load) => number) =>
    ours.map((load, index) => of(load) / of(theirs[index] ?? load));
  const [lowOurs, lowTheirs] = [median(ours.map(busy)), median(theirs.map(busy))];
  const saturated = Math.min(lowOurs, lowTheirs) >= 0.9;
  const [rates, thrifts] = [ratios(rate), ratios(thrift)];
  const [chosen, other] = saturated ? [rates, thrifts] : [thrifts, rates];
  const words = ['requests for each second of time', 'requests for each second of the server’s processor'];
  const [by, beside] = saturated ? words : words.toReversed();
  const shares = `${percent(lowOurs)} and ${percent(lowTheirs)} busy`;
  const figure = `${ratio(chosen)} by ${by}; ${median(other).toFixed(2)} by ${beside}; ${shares}`;
  return { name, figure, floor: `>= ${floor.toFixed(2)}`, met: median(chosen) >= floor };
}

/** `4.20 (4.10 to 4.31)` */
export function ratio(ratios: readonly number[]): string {
  const [low, high] = interval(ratios);
  return `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
