// Proves that bounds on areas and prices per area hold for the numbers that the answers show, in either system of units.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { type Answer, idsOf, searchClient } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const ask = searchClient(service);

/** Among them halves of a cent a square foot (801 / 8), and halves that rounding gets wrong (201 / 200). */
const PRICES = [1, 201, 203, 801, 803, 100_500, 250_000, 400_500, 999_999];
const AREAS = [8, 200, 400, 555.5, 1_000, 1_076.3910416709723, 4_000, 107_639.1];
await service.database.transaction((tx) => {
  const drafts = PRICES.flatMap((listPrice) =>
    AREAS.map((livingArea) =>
      draft(`${listPrice}/${livingArea}`, { listPrice, livingArea, lotSize: livingArea * 3 }),
    ),
  );
  return createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now());
});

const BOUNDED = [
  ['PricePerArea', 'pricePerArea'],
  ['LivingArea', 'livingArea'],
  ['LotSize', 'lotSize'],
] as const;
const OFF = [0, 0.01, -0.01, 0.005, -0.005, 0.0049, -0.0049];

test('what is shown at a bound or within it is found, and nothing that is shown beyond it', async () => {
  for (const units of ['imperial', 'metric']) {
    const all: Answer = await ask('sale', { units, limit: '500' });
    assert.equal(all.data.length, PRICES.length * AREAS.length);
    for (const [name, field] of BOUNDED) {
      const cases = fc.record({
        end: fc.constantFrom('min', 'max'),
        shown: fc.constantFrom(...all.data.map((listing) => listing[field] ?? 0)),
        off: fc.constantFrom(...OFF),
      });
      await fc.assert(
        fc.asyncProperty(cases, async ({ end, shown, off }) => {
          const bound = Math.max(0, Number((shown + off).toFixed(9)));
          const answer = await ask('sale', { units, [`${end}${name}`]: String(bound), limit: '500' });
          const expected = all.data.filter((listing) => {
            const value = listing[field] ?? Number.NaN;
            return end === 'min' ? value >= bound : value <= bound;
          });
          assert.deepEqual(idsOf([answer]), idsOf([{ ...all, data: expected }]));
        }),
        runs(60, 31),
      );
    }
  }
});
