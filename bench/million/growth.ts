// Growth of the cost of pages with the catalogue: the same queries on a larger one.

import { median } from '../statistics.ts';
import { type Arm, startService } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { kindCalled, oneByOne, UNCOUNTED } from './compared.ts';
import { SEED } from './load.ts';
import { questions } from './questions.ts';
import { type LargeTestbed, openLargeTestbed } from './testbed.ts';

const KINDS = ['area', 'box of 2 to 20 km', 'everywhere, newest'] as const;
/** Each once to bring what it reads into memory and to compile the code, then once to be measured. */
const QUESTIONS = 1_500;

/** The half of requests in the larger catalogue against those in this one; `folder` holds the larger. */
export async function growthTo(testbed: LargeTestbed, folder: string, listings: number): Promise<Row[]> {
  const here = await halves(testbed);
  const larger = await openLargeTestbed(folder, listings);
  const there = await halves(larger).finally(() => larger.close());
  const more = larger.loaded.listings / testbed.loaded.listings;
  return KINDS.map((name, at) => {
    const times = (there[at] ?? 0) / (here[at] ?? 1);
    const size = `${larger.loaded.listings.toLocaleString('en-US')} listings`;
    return {
      name: `${name}: p50 among ${size}, against ${testbed.loaded.listings.toLocaleString('en-US')}`,
      figure: `${times.toFixed(2)} (${there[at]?.toFixed(2)} ms, ${here[at]?.toFixed(2)} ms)`,
      floor: `< ${more}`,
      met: times < more,
    };
  });
}

async function halves(testbed: LargeTestbed): Promise<number[]> {
  const service = await startService(testbed, 'growth', UNCOUNTED);
  try {
    const medians: number[] = [];
    for (const name of KINDS) medians.push(median(await asked(testbed, service, name)));
    return medians;
  } finally {
    await service.stop();
  }
}

async function asked(testbed: LargeTestbed, service: Arm, name: (typeof KINDS)[number]): Promise<number[]> {
  const paths = questions(kindCalled(name), testbed.known, SEED, QUESTIONS).map(
    (path) => `${path}&count=none`,
  );
  await oneByOne(service, paths, testbed.key);
  // What was asked is remembered for a few seconds, and a statement that was is not one that reads.
  return oneByOne(
    service,
    paths.map((path) => `${path}&units=metric`),
    testbed.key,
  );
}
