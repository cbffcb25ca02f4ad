// Views of the explorer by the number of homes in them: service time, processor time and compressed bytes.

import { random } from '../market.ts';
import { median, percentile } from '../statistics.ts';
import type { Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { Reader, spentBy, startExplorer } from './readers.ts';

/** Views of each kind, and before them as many that are not timed. */
const VIEWS = 400;
const WARM_UP = 300;
/** Milliseconds at the server, and bytes. */
const GOALS = { half: 5, bytes: 15_000 } as const;

/** Homes of a view, up to and with `most`. */
const SIZES = [
  { name: 'at most 200 homes, as pins', most: 200 },
  { name: '201 to 1,000', most: 1_000 },
  { name: '1,001 to 5,000', most: 5_000 },
  { name: '5,001 to 18,000', most: 18_000 },
  { name: '18,001 to 100,000', most: 100_000 },
  { name: 'more than 100,000', most: Number.POSITIVE_INFINITY },
] as const;

/** Where homes are, and how wide maps get, in degrees. */
export interface Ground {
  readonly places: readonly (readonly [lng: number, lat: number])[];
  readonly widths: readonly [least: number, most: number];
}

interface Asked {
  readonly path: string;
  readonly homes: number;
  readonly bytes: number;
}

export async function viewsOf(testbed: Testbed, ground: Ground): Promise<Row[]> {
  return [
    ...(await measure(testbed, ground, { name: 'homes on the market', filter: '', goal: GOALS.half })),
    ...(await measure(testbed, ground, { name: 'sold homes', filter: '&status=CLOSED', goal: null })),
  ];
}

interface Kind {
  readonly name: string;
  readonly filter: string;
  readonly goal: number | null;
}

async function measure(testbed: Testbed, ground: Ground, kind: Kind): Promise<Row[]> {
  const arm = await startExplorer(testbed, `views-${kind.filter.length}`, '/explore/view');
  const reader = new Reader(arm);
  for (const path of pathsOf(ground, kind.filter, WARM_UP, 1)) await read(reader, path);
  const asked: Asked[] = [];
  const spent = await spentBy(arm, async () => {
    for (const path of pathsOf(ground, kind.filter, VIEWS, 2)) asked.push(await read(reader, path));
  });
  const times = (await arm.times()).slice(WARM_UP);
  const timed = asked.map((each, at) => ({ ...each, took: times[at] ?? Number.NaN }));
  const rows = SIZES.flatMap(({ name, most }, at): Row[] => {
    const least = SIZES[at - 1]?.most ?? -1;
    const some = timed.filter(({ homes }) => homes > least && homes <= most);
    return some.length === 0 ? [] : [row(`view of ${kind.name}, ${name}`, some, kind.goal)];
  });
  const failed = timed.filter(({ homes }) => Number.isNaN(homes)).length;
  const each = `${failed} of them refused, ${(spent / VIEWS).toFixed(2)} ms of processor a view`;
  return [...rows, row(`view of ${kind.name}, all ${VIEWS} (${each})`, timed, kind.goal)];
}

async function read(reader: Reader, path: string): Promise<Asked> {
  const { status, bytes, text } = await reader.ask(path);
  if (status === 503) return { path, bytes, homes: Number.NaN };
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return { path, bytes, homes: (JSON.parse(text) as { total: number }).total };
}

const pathsOf = (ground: Ground, filter: string, count: number, seed: number): string[] => {
  const next = random(seed);
  return boxesOf(ground, count, seed).map(
    (box) => `/explore/view?for=${next() < 0.6 ? 'sale' : 'rental'}&bbox=${box}${filter}`,
  );
};

/** Maps of any width around places, as people pan and zoom; each differs from all others. */
export function boxesOf({ places, widths: [least, most] }: Ground, count: number, seed: number): string[] {
  const next = random(seed + 100);
  return Array.from({ length: count }, () => {
    const [lng, lat] = places[Math.floor(next() * places.length)] ?? [0, 0];
    const width = least * (most / least) ** next();
    const height = width * 0.68;
    const [x, y] = [lng + (next() - 0.5) * width * 0.6, lat + (next() - 0.5) * height * 0.6];
    const box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
    return box.map((each) => each.toFixed(5)).join();
  });
}

function row(name: string, asked: readonly (Asked & { readonly took: number })[], goal: number | null): Row {
  const times = asked.map(({ took }) => took);
  const bytes = asked.map((each) => each.bytes);
  const [half, most] = [median(times), percentile(times, 0.95)];
  const size = `${(median(bytes) / 1_000).toFixed(1)} kB, at most ${(Math.max(...bytes) / 1_000).toFixed(1)}`;
  return {
    name: `${name} (${asked.length})`,
    figure: `p50 ${half.toFixed(1)} ms, p95 ${most.toFixed(1)} ms; ${size}`,
    floor: goal === null ? '' : `p50 <= ${goal} ms, ${GOALS.bytes / 1_000} kB`,
    met: goal === null || (half <= goal && Math.max(...bytes) <= GOALS.bytes),
  };
}
