// What a view shows, over HTTP: exact numbers, homes or clusters on the map, a page of the list, and errors that name their parameter.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { View } from '../../../src/explore/view/view.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
/** All homes with a position. */
const WORLD = 'bbox=-180,-90,180,90';
const view = (query: string): Promise<View> => service.json(`/explore/view?${query}`);

test('a view has the total of the search, ten rows of it, and all of its homes as pins or in clusters', async () => {
  for (const [kind, path] of [
    ['sale', 'sales'],
    ['rental', 'rentals'],
  ] as const) {
    const shown = await view(`for=${kind}&${WORLD}`);
    const search: { total: { value: number } } = await service.json(
      `/v1/search/${path}?limit=1&${WORLD}`,
      service.keys.internal,
    );
    assert.equal(shown.total, search.total.value);
    assert.equal(shown.list.length, Math.min(10, shown.total));
    const inClusters = shown.clusters.reduce((sum, [, , count]) => sum + count, 0);
    assert.equal(shown.pins.length + inClusters, shown.total);
  }
});

test('a parameter that is wrong, or that there is not, is named', async () => {
  for (const [query, parameter] of [
    ['for=swap', 'for'],
    ['minPrice=cheap', 'minPrice'],
    ['minPrize=1', 'minPrize'],
    ['zoom=-1', 'zoom'],
    ['limit=100', 'limit'],
  ] as const) {
    const response = await service.get(`/explore/view?${query}`);
    assert.equal(response.status, 400, query);
    const problem = (await response.json()) as { errors: { parameter: string }[] };
    assert.equal(problem.errors[0]?.parameter, parameter);
  }
});
