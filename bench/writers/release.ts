// Listings written a second, against the same writer of a former release on a database of its own, in turns.

import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { interval, median } from '../statistics.ts';
import { type Arm, startArm, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
/** Listings that are there before the first round. */
const LISTINGS = 10_000;
const ROUNDS = 24;
const MIN_RATIO = 2;
const KINDS = new Map([
  ['new', 'new listings'],
  ['changed', 'changes: of five 3 prices, 1 status, 1 new listing'],
]);

/** `release`: a commit of this repository, which a shallow clone may lack. */
export async function writesAgainstRelease(testbed: Testbed, release: string): Promise<Row[]> {
  const former = join(testbed.folder, 'release');
  await mkdir(former);
  const archive = execFileSync('git', ['-C', REPOSITORY, 'archive', release], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', former], { input: archive });
  await symlink(join(REPOSITORY, 'node_modules'), join(former, 'node_modules'));
  const [ours, theirs] = [
    await openWriter(testbed, 'now', REPOSITORY),
    await openWriter(testbed, 'then', former),
  ];
  try {
    const rows: Row[] = [];
    for (const [kind, name] of KINDS) rows.push(await compare(ours.arm, theirs.arm, kind, name, release));
    return rows;
  } finally {
    await ours.close();
    await theirs.close();
    await rm(former, { recursive: true, force: true });
  }
}

/** A writer from the sources in a folder, on a server of its own. */
async function openWriter({ folder }: Testbed, name: string, tree: string) {
  const dataDirectory = join(folder, name);
  const server = await startEmbedded({ dataDirectory, log: () => {} });
  const arm = await startArm('writers/writer-arm.ts', {
    ...{ DATABASE_URL: socketUrl(server.connection), TREE: tree, LISTINGS: String(LISTINGS) },
  });
  const close = async (): Promise<void> => {
    await arm.stop();
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  return { arm, close };
}

async function compare(ours: Arm, theirs: Arm, kind: string, name: string, release: string): Promise<Row> {
  const measure = async ({ url }: Arm) => Number(await (await fetch(`${url}/${kind}`)).text());
  for (const arm of [ours, theirs, ours, theirs]) await measure(arm);
  const rates = new Map<Arm, number[]>([
    [ours, []],
    [theirs, []],
  ]);
  for (let round = 0; round < ROUNDS; round++)
    for (const arm of round % 2 === 0 ? [ours, theirs] : [theirs, ours])
      rates.get(arm)?.push(await measure(arm));
  const [own = [], former = []] = rates.values();
  const ratios = own.map((rate, at) => rate / (former[at] ?? Number.NaN));
  const [low, high] = interval(ratios);
  return {
    name: `listings written a second by one replicator, against ${release}: ${name}`,
    figure: `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}): ${median(own).toFixed()} / ${median(former).toFixed()}`,
    floor: `>= ${MIN_RATIO}`,
    met: median(ratios) >= MIN_RATIO,
  };
}
