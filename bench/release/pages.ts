// Pages of search, half areas and half boxes, against those of a former release among as many listings, in turns.

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { ask, headersFor, kindCalled, listOf, UNCOUNTED } from '../million/compared.ts';
import { SEED } from '../million/load.ts';
import { type Known, questions } from '../million/questions.ts';
import { findKnown, warm } from '../million/testbed.ts';
import { compared, inTurns } from '../oauth/load.ts';
import { type Arm, type Load, startArm, type Testbed, writeTiers } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { openSides, type Releases, type Side } from './sides.ts';

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
    const [ours, theirs] = [await openService(testbed, sides.ours), await openService(testbed, sides.theirs)];
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

interface Service {
  readonly known: Known;
  /** Goes on in the list where the last load ended. */
  ask(list: string, seconds: number): Promise<Load>;
  /** Ids of the listings on a page. */
  page(path: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function openService(testbed: Testbed, side: Side): Promise<Service> {
  const { tree, cluster, databaseUrl } = side;
  await warm(join(cluster, 'postgres', 'cluster', 'base'));
  const arm = await startArm('release/service-arm.ts', {
    ...{ DATABASE_URL: databaseUrl, SOURCE: 'none', LOG_LEVEL: 'warn', TREE: tree },
    ...{ DATA_DIR: join(cluster, 'service'), TIERS_FILE: await writeTiers(testbed, 'pages', UNCOUNTED) },
  });
  const database = openDatabase({ url: databaseUrl, timeout: 0 });
  while (!(await fetch(`${arm.url}/readyz`)).ok) await setTimeout(200);
  const { key } = await createLocalSubscriptions(database, systemClock).create({ plan: 'internal' });
  const known = await findKnown(database);
  let asked = 0;
  return {
    known,
    async ask(list, seconds) {
      const load = await ask(arm, list, key, seconds, asked);
      asked += load.requests;
      return load;
    },
    page: (path) => pageOf(arm, path, key),
    close: () => closeBoth(arm, database),
  };
}

async function pageOf({ url }: Arm, path: string, key: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}${path}`, { headers: headersFor(key) });
  return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

async function closeBoth(arm: Arm, database: Database): Promise<void> {
  await arm.stop();
  await database.close();
}

async function requireSamePages(ours: Service, theirs: Service, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const [own, former] = await Promise.all([ours.page(path), theirs.page(path)]);
    if (own.join() !== former.join()) throw new Error(`The two sides differ at ${path}`);
  }
}
