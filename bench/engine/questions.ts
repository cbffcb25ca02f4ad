// Questions of the engine among so many active listings, in this process: how long each takes, and what a listing takes in memory.

import { bytesOf } from '../../src/search/engine/lifecycle/engine-memory.ts';
import { CellGroups } from '../../src/search/engine/questions/cells.ts';
import { facetCounter } from '../../src/search/engine/questions/facets.ts';
import { findPage } from '../../src/search/engine/questions/page.ts';
import { PreparedSearch } from '../../src/search/engine/questions/prepared-search.ts';
import { partsOf, scanRows } from '../../src/search/engine/questions/scan.ts';
import type { Condition, TextCondition } from '../../src/search/query/condition.ts';
import type { Facet } from '../../src/search/query/parameters.ts';
import type { SearchPlan } from '../../src/search/query/plan.ts';
import { PRICE_BUCKET_EDGES } from '../../src/search/query/price-buckets.ts';
import { random } from '../market.ts';
import { townAt, VOCABULARY } from '../million/drafts.ts';
import { pick, type Town } from '../million/towns.ts';
import { median, percentile } from '../statistics.ts';
import type { Row } from '../throughput.ts';
import { buildMarket, type Market, TODAY } from './rows.ts';

const LISTINGS = 650_000;
const ROUNDS = 300;

/** A kind of question, and what half of them should stay below, in microseconds; null: nothing was promised. */
interface Kind {
  readonly name: string;
  readonly goal: number | null;
  /** Makes a question, and answers it when it is called. */
  readonly ask: (draw: Draw) => () => Promise<unknown>;
}

interface Draw {
  readonly market: Market;
  readonly next: () => number;
}

export async function questionsOfEngine(): Promise<Row[]> {
  const market = buildMarket(LISTINGS);
  const { tables } = market.generation;
  const listings = tables.sale.live + tables.rental.live;
  const rows = [];
  for (const kind of KINDS) rows.push(await measure(kind, { market, next: random(5) }));
  const indexes = [tables.sale.base.words, tables.rental.base.words];
  const wordBytes = indexes.flatMap((index) => [index.hashes, index.offsets, index.bytes]);
  const words = wordBytes.reduce((sum, { byteLength }) => sum + byteLength, 0) / listings;
  const bytes = bytesOf(market.generation) / listings - words;
  return [
    ...rows,
    row(`bytes of a listing, of ${listings}`, `${bytes.toFixed(0)}`, '350', bytes <= 350),
    row('bytes of its words', `${words.toFixed(0)}`, '150', words <= 150),
    row('seconds to build the segments', (market.buildMs / 1_000).toFixed(1), '', true),
  ];
}

async function measure({ name, goal, ask }: Kind, draw: Draw): Promise<Row> {
  const times: number[] = [];
  for (let round = -ROUNDS / 3; round < ROUNDS; round++) {
    const answer = ask(draw);
    const begun = performance.now();
    await answer();
    if (round >= 0) times.push((performance.now() - begun) * 1_000);
  }
  const [half, most] = [median(times), percentile(times, 0.99)];
  const figure = `p50 ${half.toFixed(0)} µs, p99 ${most.toFixed(0)} µs`;
  return row(name, figure, goal === null ? '' : `${goal} µs`, goal === null || half <= goal);
}

const row = (name: string, figure: string, floor: string, met: boolean): Row => ({
  ...{ name: `engine: ${name}`, figure, floor, met },
});

const ACTIVE: Condition = { kind: 'statuses', statuses: ['ACTIVE'] };

function planOf(conditions: readonly Condition[], how: Partial<SearchPlan> = {}): SearchPlan {
  return {
    ...{ listingType: 'sale', conditions: [ACTIVE, ...conditions], centre: null, text: null, limit: 20 },
    order: [{ key: 'listedAt', descending: true }],
    ...{ cursor: null, digest: '', startedAt: TODAY, count: 'exact', fields: null, units: 'imperial' },
    ...{ ignoreDisplayRules: false, currency: null },
    ...how,
  };
}

function prepare(
  { market }: Draw,
  plan: SearchPlan,
  areaNos: readonly number[] = [],
  spellings: string[] = [],
) {
  const words = new Map(
    (plan.text?.words ?? []).map((word) => [word, { spellings: [word, ...spellings], areaNos: [] }]),
  );
  return new PreparedSearch(market.generation, { plan, resolved: { areas: [], areaNos, words } });
}

/** The twenty first with the exact total. */
const page =
  (draw: Draw, plan: SearchPlan, ...names: [areaNos?: number[], spellings?: string[]]) =>
  () =>
    findPage(plan, prepare(draw, plan, ...names), 21);

const count = (draw: Draw, plan: SearchPlan) => async () => {
  const { table, filters } = prepare(draw, plan);
  let total = 0;
  await scanRows(partsOf(table), filters, () => (_, rows) => {
    total += rows;
  });
  return total;
};

const facets = (draw: Draw, wanted: readonly Facet[]) => async () => {
  const { table, filters } = prepare(draw, planOf([]));
  const counters = wanted.map((facet) => facetCounter(facet, draw.market.generation.dictionaries));
  await scanRows(partsOf(table), filters, (columns) => {
    const consumers = counters.map((counter) => counter.consume(columns));
    return (rows, length) => {
      for (const consume of consumers) consume(rows, length);
    };
  });
  return counters.map((counter) => counter.counts());
};

const town = ({ market, next }: Draw): Town => townAt(market.towns, next());

function box(draw: Draw): Condition {
  const [{ lng, lat }, half] = [town(draw), (0.045 * 4 ** draw.next()) / 2];
  return { kind: 'boxes', boxes: [[lng - half * 1.3, lat - half, lng + half * 1.3, lat + half]] };
}

const range = (column: 'price' | 'bedrooms', bounds: { min?: number; max?: number }): Condition => ({
  ...{ kind: 'range', column },
  ...bounds,
});

const price = ({ next }: Draw): number => (PRICE_BUCKET_EDGES.at(-16) ?? 0) * (1 + next() * 3);

function polygon(draw: Draw, radius: number): Condition {
  const { lng, lat } = town(draw);
  const shell = Array.from({ length: 100 }, (_, corner) => {
    const [angle, length] = [(2 * Math.PI * corner) / 100, radius * (0.8 + 0.2 * Math.sin(5 * corner))];
    return { lng: lng + 1.3 * length * Math.cos(angle), lat: lat + length * Math.sin(angle) };
  });
  const around: [number, number, number, number] = [
    ...([lng - 1.3 * radius, lat - radius, lng + 1.3 * radius, lat + radius] as const),
  ];
  return { kind: 'polygon', parts: [{ shell, holes: [] }], boxes: [around] };
}

const word = ({ next }: Draw): string => VOCABULARY[Math.floor(VOCABULARY.length * next() ** 2)] ?? 'home';

function text(draw: Draw, words: number, how: Partial<SearchPlan> = {}): SearchPlan {
  const condition: TextCondition = {
    ...{ kind: 'text', words: Array.from({ length: words }, () => word(draw)) },
    fields: ['address', 'id', 'area', 'description'],
  };
  return planOf([condition], { text: condition, ...how });
}

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
          ...[range('price', { max: price(draw) }), range('bedrooms', { min: 2 })],
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
    name: 'page by price, loose filter, total (E4)',
    goal: null,
    ask: (draw) =>
      page(draw, planOf([range('bedrooms', { min: 1 })], { order: [{ key: 'price', descending: false }] })),
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
    name: 'clusters of a view with some 25,000 listings (E5)',
    goal: null,
    ask: (draw) => async () => {
      const plan = planOf([{ kind: 'boxes', boxes: [[-112, 30, -103, 38]] }]);
      const { table, filters } = prepare(draw, plan);
      const groups = new CellGroups(5);
      await scanRows(partsOf(table), filters, (columns) => groups.consume(columns));
      return groups.cells();
    },
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
