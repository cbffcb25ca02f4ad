// Proves that an answer is remembered only for the searches that it answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING } from '../../access/tiers/reach.ts';
import type { Measure } from '../query/measures.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { planSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { rememberAnswers } from './remembered-backend.ts';

const DAY = 86_400_000;

test('ages are of the moment of each search, and other summaries are remembered whatever it is', async () => {
  let asked = 0;
  const backend = {
    async summaries({ plan }: ResolvedSearch) {
      asked++;
      return { total: plan.startedAt, measures: new Map() };
    },
  } as unknown as SearchBackend;
  const remembered = rememberAnswers(backend, { version: () => 1, monotonic: () => 0 });
  const at = async (startedAt: number, measures: readonly Measure[]) => {
    const resolved = { areas: [], areaNos: [], words: new Map() };
    const search = { plan: planSearch('sale', {}, 10, startedAt, EVERYTHING), resolved };
    return (await remembered.summaries(search, measures)).total;
  };
  assert.deepEqual([await at(DAY, ['price', 'age']), await at(4 * DAY, ['price', 'age'])], [DAY, 4 * DAY]);
  assert.deepEqual([await at(DAY, ['price']), await at(4 * DAY, ['price'])], [DAY, DAY]);
  assert.equal(asked, 3);
});
