// The engine as one of those that are compared.

import type { Condition } from '../../../src/search/query/condition.ts';
import type { FacetCount } from '../../../src/search/query/search-backend.ts';
import { random } from '../../market.ts';
import type { Market } from '../rows.ts';
import { cells, count, type Draw, facets, page, planOf, range } from '../searches.ts';
import type { Peer, PeerAnswer, PeerQuestion } from './peer.ts';
import { LETTERS } from './peer-sql.ts';

export function enginePeer(market: Market): Peer {
  const draw: Draw = { market, next: random(1) };
  return { name: 'the engine', ask: (question) => ask(draw, question), close: async () => {} };
}

async function ask(draw: Draw, question: PeerQuestion): Promise<() => PeerAnswer> {
  switch (question.kind) {
    case 'box':
      return askPage(draw, { kind: 'boxes', boxes: [question.parameters] });
    case 'rare': {
      const [min, max] = question.parameters;
      return askPage(draw, range('price', { min, max }));
    }
    case 'cheapest':
      return askPage(draw, range('bedrooms', { min: question.parameters[0] }), 'price');
    case 'count':
      return askCount(draw, question.parameters);
    case 'facets':
      return askFacets(draw);
    case 'cells': {
      const found = await cells(
        draw,
        planOf([{ kind: 'boxes', boxes: [question.parameters] }]),
        LETTERS,
        Number.POSITIVE_INFINITY,
      )();
      return () =>
        found.map(({ column, row, count, medianPrice }) => `${column} ${row} ${count} ${medianPrice}`).sort();
    }
  }
}

async function askPage(
  draw: Draw,
  condition: Condition,
  key: 'listedAt' | 'price' = 'listedAt',
): Promise<() => PeerAnswer> {
  const plan = planOf([condition], { order: [{ key, descending: key === 'listedAt' }] });
  const { found, total } = await page(draw, plan)();
  return () => [...found.map(({ id }) => id), total ?? 0];
}

async function askCount(
  draw: Draw,
  [max, min, type]: readonly [max: number, min: number, type: number],
): Promise<() => PeerAnswer> {
  const values = [draw.market.generation.dictionaries.propertyType.word(type)];
  const total = await count(
    draw,
    planOf([
      range('price', { max }),
      range('bedrooms', { min }),
      { kind: 'words', column: 'propertyType', values },
    ]),
  )();
  return () => [total];
}

async function askFacets(draw: Draw): Promise<() => PeerAnswer> {
  const { propertyType, city } = draw.market.generation.dictionaries;
  const counted = await facets(draw, ['propertyType', 'bedrooms', 'city', 'priceBucket'])();
  // Peers have numbers for words.
  const numberOf = (facet: number, { value }: FacetCount): string | number | undefined =>
    typeof value === 'number' ? value : (facet === 0 ? propertyType : city).find(value);
  return () =>
    counted
      .flatMap((counts, facet) => counts.map((each) => `${facet} ${numberOf(facet, each)} ${each.count}`))
      .sort();
}
