// Pages of search, half areas and half boxes, against those of a former release among as many listings, in turns.

import { kindCalled, listOf } from '../million/compared.ts';
import { SEED } from '../million/load.ts';
import { type Known, questions } from '../million/questions.ts';
import { compared, inTurns } from '../oauth/load.ts';
import type { Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { openService, type Service } from './service.ts';
import { openSides, type Releases } from './sides.ts';

/** Different pages, asked in turn: so many that no answer is still cached when it is asked for again. */
const PAGES = 12_000;
const SECONDS = 3;
const WARM_SECONDS = 8;
const MIN_RATIO = 3;
/** Pages that both sides must answer alike before anything is measured. */
const ALIKE = 60;

export async function pagesAgainstRelease(testbed: Testbed, releases: Releases): Promise<Row[]> {
  const sides = await openSides(releases);
  try {
    const [ours, theirs] = [
      await openService(testbed, sides.ours, 'pages'),
      await openService(testbed, sides.theirs, 'pages'),
    ];
    const paths = mixed(ours.known);
    await requireSamePages(ours, theirs, paths.slice(-ALIKE));
    const list = await listOf(testbed, 'pages', paths);
    for (const service of [ours, theirs]) await service.ask(list, WARM_SECONDS);
    const rounds = await inTurns(
      () => ours.ask(list, SECONDS),
      () => theirs.ask(list, SECONDS),
    );
    await Promise.all([ours.close(), theirs.close()]);
    const name = `pages of areas and boxes among ${releases.listings}, against ${releases.release}`;
    return [compared(name, rounds, MIN_RATIO)];
  } finally {
    await sides.close();
  }
}

/** Areas and boxes in turn; large towns are asked for more often. */
function mixed(known: Known): string[] {
  const [areas = [], boxes = []] = ['area', 'box of 2 to 20 km'].map((name) =>
    questions(kindCalled(name), known, SEED, PAGES / 2),
  );
  return areas.flatMap((area, at) => [area, boxes[at] ?? area]);
}

async function requireSamePages(ours: Service, theirs: Service, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const [own, former] = await Promise.all([ours.page(path), theirs.page(path)]);
    if (own.join() !== former.join()) throw new Error(`The two sides differ at ${path}`);
  }
}
