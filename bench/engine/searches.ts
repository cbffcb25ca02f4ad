// Searches of the engine's benchmarks: drawn conditions, and how the engine answers them.

import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { bitsOf } from '../../src/geometry/geohash.ts';
import type { Box } from '../../src/geometry/geometry.ts';
import { eventLoop } from '../../src/lib/scheduler.ts';
import { CellGroups } from '../../src/search/engine/questions/cells.ts';
import { facetCounter } from '../../src/search/engine/questions/facets.ts';
import { findPage } from '../../src/search/engine/questions/page.ts';
import { prepareSearch } from '../../src/search/engine/questions/prepared-search.ts';
import { partsOf, scanRows } from '../../src/search/engine/questions/scan.ts';
import type { Condition, TextCondition } from '../../src/search/query/condition.ts';
import type { Facet } from '../../src/search/query/parameters.ts';
import type { SearchPlan } from '../../src/search/query/plan.ts';
import { PRICE_BUCKET_EDGES } from '../../src/search/query/price-buckets.ts';
import { townAt, VOCABULARY } from '../million/drafts.ts';
import type { Town } from '../million/towns.ts';
import { type Market, TODAY } from './rows.ts';

/** What questions are drawn with. */
export interface Draw {
  readonly market: Market;
  readonly next: () => number;
}

const ACTIVE: Condition = { kind: 'statuses', statuses: ['ACTIVE'] };

export function planOf(conditions: readonly Condition[], how: Partial<SearchPlan> = {}): SearchPlan {
  return {
    listingType: 'sale',
    conditions: [ACTIVE, ...conditions],
    centre: null,
    text: null,
    limit: 20,
    order: [{ key: 'listedAt', descending: true }],
    cursor: null,
    digest: '',
    startedAt: TODAY,
    count: 'exact',
    fields: null,
    units: 'imperial',
    ignoreDisplayRules: false,
    reach: EVERYTHING,
    currency: null,
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
  return prepareSearch(market.generation, { plan, resolved: { areas: [], areaNos, words } });
}

/** The twenty first with the exact total. */
export const page =
  (draw: Draw, plan: SearchPlan, ...names: [areaNos?: number[], spellings?: string[]]) =>
  async () =>
    findPage(plan, await prepare(draw, plan, ...names), 21);

export const count = (draw: Draw, plan: SearchPlan) => async () => {
  const { table, filters } = await prepare(draw, plan);
  let total = 0;
  await scanRows(partsOf(table), filters, () => (_, rows) => {
    total += rows;
  });
  return total;
};

export const facets = (draw: Draw, wanted: readonly Facet[]) => async () => {
  const { table, filters } = await prepare(draw, planOf([]));
  const counters = wanted.map((facet) => facetCounter(facet, draw.market.generation.dictionaries));
  await scanRows(partsOf(table), filters, (columns) => {
    const consumers = counters.map((counter) => counter.consume(columns));
    return (rows, length) => {
      for (const consume of consumers) consume(rows, length);
    };
  });
  return counters.map((counter) => counter.counts().toArray());
};

/** The largest cells of results, so fine. */
export const cells = (draw: Draw, plan: SearchPlan, letters: number, limit: number) => async () => {
  const { table, filters } = await prepare(draw, plan);
  const groups = new CellGroups(bitsOf(letters));
  await scanRows(partsOf(table), filters, (columns) => groups.consume(columns));
  return eventLoop.task().run(groups.cells({ limit, after: undefined }));
};

const town = ({ market, next }: Draw): Town => townAt(market.towns, next());

/** Of 5 to 20 km in a town. */
export function drawBox(draw: Draw): Box {
  const [{ lng, lat }, half] = [town(draw), (0.045 * 4 ** draw.next()) / 2];
  return [lng - half * 1.3, lat - half, lng + half * 1.3, lat + half];
}

export const box = (draw: Draw): Condition => ({ kind: 'boxes', boxes: [drawBox(draw)] });

export const range = (column: 'price' | 'bedrooms', bounds: { min?: number; max?: number }): Condition => ({
  kind: 'range',
  column,
  ...bounds,
});

export const price = ({ next }: Draw): number => (PRICE_BUCKET_EDGES.at(-16) ?? 0) * (1 + next() * 3);

export function polygon(draw: Draw, radius: number): Condition {
  const { lng, lat } = town(draw);
  const shell = Array.from({ length: 100 }, (_, corner) => {
    const [angle, length] = [(2 * Math.PI * corner) / 100, radius * (0.8 + 0.2 * Math.sin(5 * corner))];
    return { lng: lng + 1.3 * length * Math.cos(angle), lat: lat + length * Math.sin(angle) };
  });
  const around: [number, number, number, number] = [
    lng - 1.3 * radius,
    lat - radius,
    lng + 1.3 * radius,
    lat + radius,
  ] as const;
  return { kind: 'polygon', parts: [{ shell, holes: [] }], boxes: [around] };
}

export const word = ({ next }: Draw): string =>
  VOCABULARY[Math.floor(VOCABULARY.length * next() ** 2)] ?? 'home';

export function text(draw: Draw, words: number, how: Partial<SearchPlan> = {}): SearchPlan {
  const condition: TextCondition = {
    kind: 'text',
    words: Array.from({ length: words }, () => word(draw)),
    fields: ['address', 'id', 'area', 'description'],
  };
  return planOf([condition], { text: condition, ...how });
}
