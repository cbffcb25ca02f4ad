// Memory of an idle feed (P12): resident, and with the kernel's part of its socket.

import { readFile } from 'node:fs/promises';
import { ratioRow } from '../comparison.ts';
import { resident } from '../memory.ts';
import { median } from '../statistics.ts';
import { type Arm, startArm, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { createFeedOwner, startFeedService } from './feed-owner.ts';
import { openReaders } from './readers.ts';

/** Feeds that are weighed, beside as many that were opened before: the first ones also bring code and pools. */
const WEIGHED = 2_000;
const ROUNDS = 7;
const KILOBYTE = 1024;
const MAX_RATIO = 1.25;
/** What the kernel keeps for a connection. */
const CACHES = [
  'TCP',
  'sock_inode_cache',
  'filp',
  'eventpoll_epi',
  'eventpoll_pwq',
  'skbuff_head_cache',
  'skbuff_small_head',
];
/** Both ends of a connection are on this machine. */
const ENDS = 2;

interface Weight {
  readonly resident: number;
  /** Null where the kernel does not say. */
  readonly kernel: number | null;
}

/** P12. */
export async function idleFeeds(testbed: Testbed): Promise<Row[]> {
  const { key } = await createFeedOwner(testbed, 'p12');
  const sides = {
    ours: () => startFeedService(testbed, 'p12', 2 * WEIGHED),
    theirs: () => startArm('feeds/raw-arm.ts', {}),
  };
  const weights: { readonly ours: Weight; readonly theirs: Weight }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % 2 === 0 ? await weigh(sides.ours, key) : null;
    const theirs = await weigh(sides.theirs, key);
    weights.push({ ours: first ?? (await weigh(sides.ours, key)), theirs });
  }
  const name = 'P12: an idle feed / a response of node:http';
  return [
    weightRow(`${name}, resident`, weights, (weight) => weight.resident),
    weightRow(
      `${name}, resident and kernel`,
      weights,
      (weight) => weight.resident + (weight.kernel ?? Number.NaN),
    ),
  ];
}

function weightRow(
  name: string,
  weights: readonly { readonly ours: Weight; readonly theirs: Weight }[],
  of: (weight: Weight) => number,
): Row {
  const ratios = weights.map(({ ours, theirs }) => of(ours) / of(theirs));
  if (ratios.some(Number.isNaN))
    return { name, figure: 'skipped: only root may read /proc/slabinfo', floor: '', met: true };
  const size = (side: 'ours' | 'theirs') =>
    (median(weights.map((each) => of(each[side]))) / KILOBYTE).toFixed(1);
  return ratioRow(name, ratios, `${size('ours')} and ${size('theirs')} KB`, { max: MAX_RATIO });
}

/** Bytes that each feed adds to as many others of a server, which is new: what it once had it does not give back. */
async function weigh(start: () => Promise<Arm>, key: string): Promise<Weight> {
  const arm = await start();
  const readers = await openReaders(arm.url, key, WEIGHED);
  const before = { resident: await resident(arm), kernel: await socketSlabs() };
  await readers.open(WEIGHED);
  const after = { resident: await resident(arm), kernel: await socketSlabs() };
  readers.close();
  await arm.stop();
  const kernel =
    before.kernel === null || after.kernel === null ? null : (after.kernel - before.kernel) / WEIGHED / ENDS;
  return { resident: (after.resident - before.resident) / WEIGHED, kernel };
}

/** Bytes in the kernel's caches of connections; null: only root may read them. */
async function socketSlabs(): Promise<number | null> {
  const text = await readFile('/proc/slabinfo', 'utf8').catch(() => null);
  if (text === null) return null;
  const sizes = text.split('\n').map((line) => {
    const [name = '', active = '0', , size = '0'] = line.split(/\s+/);
    return CACHES.includes(name) ? Number(active) * Number(size) : 0;
  });
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
