// Questions of the engine among so many active listings, in this process: how long each takes, and what a listing takes in memory.

import { setImmediate as nextIteration } from 'node:timers/promises';
import { lettersAt } from '../../src/geometry/geohash.ts';
import type { Box } from '../../src/geometry/geometry.ts';
import { bytesOf } from '../../src/search/engine/lifecycle/engine-memory.ts';
import { random } from '../market.ts';
import { pick } from '../million/towns.ts';
import { measureTurns } from '../soak/turns.ts';
import { median, percentile } from '../statistics.ts';
import type { Row } from '../throughput.ts';
import { buildMarket, type Market } from './rows.ts';
import {
  box,
  cells,
  count,
  type Draw,
  facets,
  page,
  planOf,
  polygon,
  price,
  range,
  text,
  word,
} from './searches.ts';

const LISTINGS = 650_000;
const ROUNDS = 300;

/** A kind of question, and what half of them should stay below, in microseconds; null: nothing was promised. */
interface Kind {
  readonly name: string;
  readonly goal: number | null;
  /** Makes a question, and answers it when it is called. */
  readonly ask: (draw: Draw) => () => Promise<unknown>;
}

export async function questionsOfEngine(): Promise<Row[]> {
  const market = buildMarket(LISTINGS);
  const rows = [];
  for (const kind of KINDS) rows.push(await measure(kind, { market, next: random(5) }));
  return [...rows, ...sizeRows(market)];
}

/** Milliseconds of processor that one turn of the event loop may take, and bytes of all listings, among ten million. */
const [LONGEST_TURN, MOST_BYTES] = [5, 4e9];

/** Two of the questions among many more listings, whose columns no database ever had. */
export async function questionsAmongMany(listings: number): Promise<Row[]> {
  const market = buildMarket(listings);
  globalThis.gc?.();
  const resident = process.memoryUsage.rss();
  const { turns, skip } = measureTurns();
  // The turns of warming up are not those of a service that runs.
  const begin = (): void => {
    turns.reset();
    skip();
  };
  let longest = 0;
  const goals = new Map([
    ['E1', 60],
    ['E2', 15_000],
  ]);
  const rows = [];
  for (const [mark, goal] of goals) {
    const kind = KINDS.find(({ name }) => name.includes(`(${mark})`));
    if (kind) rows.push(await measure({ ...kind, goal }, { market, next: random(5) }, begin));
    longest = Math.max(longest, turns.max / 1_000);
  }
  const bytes = bytesOf(market.generation);
  const gigabytes = (count: number): string => `${(count / 1e9).toFixed(2)} GB`;
  const peak = gigabytes(process.resourceUsage().maxRSS * 1_024);
  return [
    ...rows,
    row('longest turn meanwhile', `${longest.toFixed(1)} ms`, `${LONGEST_TURN} ms`, longest <= LONGEST_TURN),
    row('bytes of all listings', gigabytes(bytes), gigabytes(MOST_BYTES), bytes <= MOST_BYTES),
    row('resident afterwards / at most', `${gigabytes(resident)} / ${peak}`, '', true),
    ...sizeRows(market),
  ];
}

function sizeRows({ generation, buildMs }: Market): Row[] {
  const { sale, rental } = generation.tables;
  const listings = sale.live + rental.live;
  const wordBytes = [sale, rental].flatMap(({ base: { words } }) => [
    words.hashes,
    words.offsets,
    words.bytes,
  ]);
  const words = wordBytes.reduce((sum, { byteLength }) => sum + byteLength, 0) / listings;
  const bytes = bytesOf(generation) / listings - words;
  return [
    row(`bytes of a listing, of ${listings}`, `${bytes.toFixed(0)}`, '350', bytes <= 350),
    row('bytes of its words', `${words.toFixed(0)}`, '150', words <= 150),
    row('seconds to build the segments', (buildMs / 1_000).toFixed(1), '', true),
  ];
}

/** `onBegin`: called when the first question is about to be timed. */
async function measure({ name, goal, ask }: Kind, draw: Draw, onBegin = () => {}): Promise<Row> {
  const times: number[] = [];
  for (let round = -ROUNDS / 3; round < ROUNDS; round++) {
    const answer = ask(draw);
    await nextIteration();
    if (round === 0) onBegin();
    const begun = performance.now();
    await answer();
    if (round >= 0) times.push((performance.now() - begun) * 1_000);
  }
  const [half, most] = [median(times), percentile(times, 0.99)];
  const figure = `p50 ${half.toFixed(0)} µs, p99 ${most.toFixed(0)} µs`;
  return row(name, figure, goal === null ? '' : `${goal} µs`, goal === null || half <= goal);
}

const row = (name: string, figure: string, floor: string, met: boolean): Row => ({
  name: `engine: ${name}`,
  figure,
  floor,
  met,
});

/** Some 50,000 listings, the zoom that shows them on a screen of a thousand points, and the largest page with one more. */
const VIEW: Box = [-112, 27.7, -98, 40.3];
const [VIEW_ZOOM, PAGE] = [7, 501];

const KINDS: readonly Kind[] = [
  { name: 'box of 5 to 20 km, newest, total (E1)', goal: 40, ask: (draw) => page(draw, planOf([box(draw)])) },
  {
    name: 'box of 5 to 20 km with two filters, newest, total',
    goal: null,
    ask: (draw) =>
      page(draw, planOf([box(draw), range('price', { max: price(draw) }), range('bedrooms', { min: 2 })])),
  },
  {
    name: 'area, newest, total',
    goal: null,
    ask: (draw) => page(draw, planOf([{ kind: 'areas', ids: [] }]), [1 + Math.floor(draw.next() * 600)]),
  },
  { name: 'everywhere, newest, total', goal: null, ask: (draw) => page(draw, planOf([])) },
  {
    name: 'count of three filters over everything (E2)',
    goal: 1_500,
    ask: (draw) =>
      count(
        draw,
        planOf([
          range('price', { max: price(draw) }),
          range('bedrooms', { min: 2 }),
          { kind: 'words', column: 'propertyType', values: [pick(draw.next, ['CONDO', 'TOWNHOUSE'])] },
        ]),
      ),
  },
  {
    name: 'four facets over everything (E3)',
    goal: 5_000,
    ask: (draw) => facets(draw, ['propertyType', 'bedrooms', 'city', 'priceBucket']),
  },
  { name: 'features over everything', goal: null, ask: (draw) => facets(draw, ['features']) },
  {
    name: 'page by price, loose filter, total',
    goal: null,
    ask: (draw) =>
      page(draw, planOf([range('bedrooms', { min: 1 })], { order: [{ key: 'price', descending: false }] })),
  },
  {
    name: 'page by price, loose filter, no total (E4)',
    goal: 50,
    ask: (draw) =>
      page(
        draw,
        planOf([range('bedrooms', { min: 1 })], {
          count: 'none',
          order: [{ key: 'price', descending: false }],
        }),
      ),
  },
  {
    name: 'page by price, one in 5,000, total (E4)',
    goal: 4_000,
    ask: (draw) => {
      const min = price(draw);
      return page(draw, planOf([range('price', { min, max: min * 1.0003 })]));
    },
  },
  {
    name: 'page by days on market, everything, total',
    goal: null,
    ask: (draw) => page(draw, planOf([], { order: [{ key: 'daysOnMarket', descending: true }] })),
  },
  {
    name: 'clusters of a view with some 50,000 listings (E5)',
    goal: 2_000,
    ask: (draw) => cells(draw, planOf([{ kind: 'boxes', boxes: [VIEW] }]), lettersAt(VIEW_ZOOM), PAGE),
  },
  {
    name: 'all cells of five kilometres in such a view',
    goal: null,
    ask: (draw) => cells(draw, planOf([{ kind: 'boxes', boxes: [VIEW] }]), 5, Number.POSITIVE_INFINITY),
  },
  {
    name: 'polygon of 100 corners, 10 km (E6)',
    goal: 1_000,
    ask: (draw) => page(draw, planOf([polygon(draw, 0.045)])),
  },
  {
    name: 'polygon of 100 corners, 40 km (E6)',
    goal: 1_000,
    ask: (draw) => page(draw, planOf([polygon(draw, 0.18)])),
  },
  { name: 'two words, newest, total', goal: 3_000, ask: (draw) => page(draw, text(draw, 2)) },
  {
    name: 'two words, most relevant, total',
    goal: 3_000,
    ask: (draw) =>
      page(
        draw,
        text(draw, 2, {
          order: [
            { key: 'relevance', descending: true },
            { key: 'listedAt', descending: true },
          ],
        }),
      ),
  },
  {
    name: 'a misspelt word with five spellings, newest, total',
    goal: 6_000,
    ask: (draw) => page(draw, text(draw, 1), [], [word(draw), word(draw), word(draw), word(draw)]),
  },
];
