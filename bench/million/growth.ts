// How the cost of pages grows with the catalogue: the same questions, one after the other, in one of more listings.

import { type Arm, startService } from '../stand.ts';
import { median } from '../statistics.ts';
import type { Row } from '../throughput.ts';
import { kindCalled, oneByOne, UNCOUNTED } from './compared.ts';
import { SEED } from './load.ts';
import { questions } from './questions.ts';
import { type LargeStand, openLargeStand } from './stand.ts';

const KINDS = ['area', 'box of 2 to 20 km', 'everywhere, newest'] as const;
/** Each once to bring what it reads into memory and to compile the code, then once to be measured. */
const QUESTIONS = 1_500;

/** The half of requests in the larger catalogue against those in this one; `folder` holds the larger. */
export async function growthTo(stand: LargeStand, folder: string, listings: number): Promise<Row[]> {
  const here = await halves(stand);
  const larger = await openLargeStand(folder, listings);
  const there = await halves(larger).finally(() => larger.close());
  const more = larger.loaded.listings / stand.loaded.listings;
  return KINDS.map((name, at) => {
    const times = (there[at] ?? 0) / (here[at] ?? 1);
    const size = `${larger.loaded.listings.toLocaleString('en-US')} listings`;
    return {
      name: `${name}: p50 among ${size}, against ${stand.loaded.listings.toLocaleString('en-US')}`,
      figure: `${times.toFixed(2)} (${there[at]?.toFixed(2)} ms, ${here[at]?.toFixed(2)} ms)`,
      floor: `< ${more}`,
      met: times < more,
    };
  });
}

async function halves(stand: LargeStand): Promise<number[]> {
  const service = await startService(stand, 'growth', UNCOUNTED);
  try {
    const medians: number[] = [];
    for (const name of KINDS) medians.push(median(await asked(stand, service, name)));
    return medians;
  } finally {
    await service.stop();
  }
}

async function asked(stand: LargeStand, service: Arm, name: (typeof KINDS)[number]): Promise<number[]> {
  const paths = questions(kindCalled(name), stand.known, SEED, QUESTIONS).map((path) => `${path}&count=none`);
  await oneByOne(service, paths, stand.key);
  // What was asked is remembered for a few seconds, and a statement that was is not one that reads.
  return oneByOne(
    service,
    paths.map((path) => `${path}&units=metric`),
    stand.key,
  );
}
