// Listings written a second, against the writer of a former release in a market of the same size, in turns.

import { ratioRow } from '../comparison.ts';
import { median } from '../statistics.ts';
import { startArm } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { openSides, type Releases, type Side } from './sides.ts';
import type { Written } from './writer-arm.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12);
const MIN_RATIO = 2;
const KINDS = new Map([
  ['changed', 'pages of 200 changes: of five 3 prices, 1 status, 1 new listing'],
  ['new', 'pages of 200 new listings'],
  ['single', '8 writers of single changes'],
]);

/** `ours` and `theirs`: the two sides of each round. */
type Round = readonly [ours: Written, theirs: Written];

export async function writesAgainstRelease(releases: Releases): Promise<Row[]> {
  const sides = await openSides(releases, true);
  const [ours, theirs] = [await startWriter(sides.ours), await startWriter(sides.theirs)];
  try {
    const rows: Row[] = [];
    for (const [kind, name] of KINDS) {
      await ours.write(kind);
      await theirs.write(kind);
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await writeInTurn(ours, theirs, kind, round));
      rows.push(...compared(`${name}, against ${releases.release}`, rounds));
    }
    return rows;
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
    await sides.close();
  }
}

interface Writer {
  write(kind: string): Promise<Written>;
  stop(): Promise<void>;
}

async function startWriter({ tree, cluster, databaseUrl }: Side): Promise<Writer> {
  const environment = { DATABASE_URL: databaseUrl, TREE: tree, CLUSTER: cluster };
  const { url, stop } = await startArm('release/writer-arm.ts', environment);
  const write = async (kind: string) => (await (await fetch(`${url}/${kind}`)).json()) as Written;
  return { write, stop };
}

async function writeInTurn(ours: Writer, theirs: Writer, kind: string, round: number): Promise<Round> {
  const late = round % 2 === 0 ? undefined : await theirs.write(kind);
  const own = await ours.write(kind);
  const former = late ?? (await theirs.write(kind));
  // Both draw the same listings, so both have the same to write.
  if (own.listings !== former.listings)
    throw new Error(`One side wrote ${own.listings} listings, the other ${former.listings}`);
  return [own, former];
}

const rate = ({ listings, seconds }: Written): number => listings / seconds;
/** Microseconds of processor of a listing. */
const cost = ({ listings, node, postgres }: Written): number => ((node + postgres) * 1_000) / listings;
const bytes = ({ listings, log }: Written): number => log / listings;

function compared(name: string, rounds: readonly Round[]): Row[] {
  const part = (of: (written: Written) => number) => {
    const [own, former] = [rounds.map(([ours]) => of(ours)), rounds.map(([, theirs]) => of(theirs))];
    return `${median(own).toFixed()} and ${median(former).toFixed()}`;
  };
  const costs = `processor: ${part(cost)} µs, of it Node ${part(({ listings, node }) => (node * 1_000) / listings)}`;
  const against = (of: (own: Written, former: Written) => number) =>
    rounds.map(([own, former]) => of(own, former));
  return [
    ratioRow(
      `listings a second, ${name}`,
      against((a, b) => rate(a) / rate(b)),
      part(rate),
      { min: MIN_RATIO },
    ),
    ratioRow(
      'the same by processor time',
      against((a, b) => cost(b) / cost(a)),
      costs,
      {},
    ),
    ratioRow(
      'the same by bytes of the write-ahead log',
      against((a, b) => bytes(b) / bytes(a)),
      part(bytes),
      {},
    ),
  ];
}
