// Proves what a walk over pages promises while listings change under it: what stays is met once, no version is met twice.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import {
  type Facts,
  factsArbitrary,
  NOW,
  type Row,
  toDraft,
  writeAreas,
  writeMarket,
} from '../support/catalogue/random-market.ts';
import { type Answer, idsOf, searchClient } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import type { Query } from '../support/oracle/filters.ts';
import { sortArbitrary } from '../support/oracle/order.ts';
import { FILTERS, finds } from '../support/oracle/search-oracle.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const clock = manualClock(NOW);
const service = await startService({ after }, { clock });
const catalogue = createCatalogue(service.database);
const ask = searchClient(service);
await writeAreas(service.database);
const [sample = []] = fc.sample(fc.array(factsArbitrary, { minLength: 160, maxLength: 160, size: 'max' }), {
  seed: 13,
  numRuns: 1,
});
const market = new Map((await writeMarket(service.database, catalogue, sample)).map((row) => [row.key, row]));

/** What may happen to a listing: facts that change, and the parameters and sort keys that see it. */
const CHANGES: readonly { readonly facts: readonly (keyof Facts)[]; readonly seen: readonly string[] }[] = [
  { facts: [], seen: [] },
  {
    facts: ['listPrice'],
    seen: ['Price', 'PricePerArea', 'price', 'pricePerArea', 'priceChangedAt', 'hasPrice'],
  },
  { facts: ['bedrooms'], seen: ['Bedrooms', 'bedrooms'] },
  {
    facts: ['livingArea'],
    seen: ['LivingArea', 'PricePerArea', 'livingArea', 'pricePerArea', 'hasLivingArea'],
  },
  { facts: ['yearBuilt', 'bathrooms'], seen: ['YearBuilt', 'Bathrooms', 'yearBuilt', 'bathrooms'] },
  { facts: ['listed'], seen: ['listed', 'listedAt', 'daysOnMarket', 'DaysOnMarket'] },
  { facts: ['priceChanged'], seen: ['priceChangedAt'] },
  { facts: ['city'], seen: ['city', 'areaId', 'q', 'address'] },
  { facts: ['located'], seen: ['areaId', 'bbox', 'lat', 'polygon', 'q'] },
  { facts: ['displayed'], seen: ['displayed'] },
  {
    facts: ['status', 'closePrice', 'statusChanged'],
    seen: [
      'status',
      'ClosePrice',
      'closed',
      'closedAt',
      'daysOnMarket',
      'DaysOnMarket',
      'hasPrice',
      'Price',
      'PricePerArea',
      'price',
      'pricePerArea',
      'priceChangedAt',
    ],
  },
];

const editArbitrary = fc.record({
  /** Beyond the market: a new listing. */
  place: fc.nat({ max: 190 }),
  change: fc.constantFrom(...CHANGES),
  to: factsArbitrary,
});
type Edit = typeof editArbitrary extends fc.Arbitrary<infer E> ? E : never;

let edits = 0;
/** Makes the changes, in one transaction at the clock's time; tells what each listing showed of them. */
async function happen(batch: readonly Edit[], touched: Map<string, Set<string>>): Promise<void> {
  const at = clock.now();
  const drafts = batch.map(({ place, change, to }) => {
    const key = `key-${place}`;
    const before = market.get(key);
    const kept = Object.fromEntries(change.facts.map((name) => [name, to[name]]));
    // A rent stays a rent: another type of price is another search.
    const fits = before === undefined || before.facts.listingType === to.listingType;
    const facts: Facts = before === undefined ? to : fits ? { ...before.facts, ...kept } : before.facts;
    const row: Row = { key, id: '', currency: 'USD', firstSeen: at, ...before, facts, updatedAt: at };
    market.set(key, row);
    const seen = before === undefined ? ['new'] : ['updated', 'updatedAt', ...change.seen];
    touched.set(key, (touched.get(key) ?? new Set()).union(new Set(seen)));
    edits += 1;
    return { ...toDraft(key, facts), description: `edit ${edits}` };
  });
  const { ids } = await service.database.transaction((tx) => catalogue.write(tx, 'test', drafts, at));
  for (const [key, id] of ids) {
    const row = market.get(key);
    if (row) market.set(key, { ...row, id });
  }
}

/** The names by which a query sees changes: `minPrice` is seen as `Price`, `listedSince` as `listed`. */
function watched(query: Query): Set<string> {
  const parameters = Object.keys(query).flatMap((name) => [
    name,
    name.replace(/^m(in|ax)|Since$|Before$/g, ''),
  ]);
  const keys = (query.sort ?? '-listedAt').split(',').map((key) => key.replace('-', ''));
  return new Set(['status', 'displayed', 'new', ...parameters, ...keys]);
}

/** Each page once it is reached, with changes before the next one. */
async function stroll(
  from: Answer | null,
  next: (page: Answer | null) => Promise<Answer | null>,
  batches: readonly (readonly Edit[])[],
  touched: Map<string, Set<string>>,
): Promise<Answer[]> {
  const pages: Answer[] = from ? [from] : [];
  for (let turn = 0; ; turn += 1) {
    assert.ok(turn < 500, 'the walk ends');
    const page = await next(pages.at(-1) ?? null);
    if (page === null) return pages;
    pages.push(page);
    await happen(batches[turn] ?? [], touched);
    clock.advance(7 * 3_600_000);
  }
}

function noVersionTwice(pages: readonly Answer[]): void {
  const met = pages.flatMap((page) => page.data.map(({ id, version }) => `${id} ${version}`));
  assert.equal(new Set(met).size, met.length, 'no version twice');
}

const batches = fc.array(fc.array(editArbitrary, { maxLength: 6, size: 'max' }), {
  maxLength: 12,
  size: 'max',
});
/** As time goes by, a duration may come to lie behind a fixed time: then the two are refused together. */
const oneEnd = (query: Query): boolean =>
  !Object.keys(query).some((name) => name.endsWith('Since')) ||
  !Object.keys(query).some((name) => name.endsWith('Before'));
/** Ids are not known before; what changed before, the loop cannot tell of changes that it makes itself. */
const NOT_WALKED = ['ids', 'priceChanged', 'priceChangedSince', 'minPriceDropPercent'];
const WALKED = FILTERS.filter(
  ({ saleOnly, rentalOnly, alone, parameters }) =>
    !saleOnly && !rentalOnly && !alone && !parameters.some((name) => NOT_WALKED.includes(name)),
);
const walks = fc.record({
  type: fc.constantFrom('rental' as const, 'sale' as const),
  status: fc.constantFrom({}, { status: 'any' }),
  filters: fc
    .subarray(WALKED, { maxLength: 1 })
    .chain((chosen) => fc.tuple(...chosen.map((filter) => filter.values.filter(oneEnd)))),
  sort: sortArbitrary,
  limit: fc.integer({ min: 3, max: 9 }),
  there: batches,
  back: batches,
});

test('while the market changes, what stays the same is met exactly once, forwards and back', async () => {
  let [stayed, changed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(walks, async ({ type, status, filters, sort, limit, there, back }) => {
      const query: Query = Object.assign({ ...status, sort }, ...filters);
      const sent = { ...query, limit: String(limit), fields: 'version' };
      const touched = new Map<string, Set<string>>();
      const begun = clock.now();
      const expected = [...market.values()].filter((row) => finds(type, query, row, begun));
      const forwards = await stroll(
        null,
        async (page) => {
          if (page?.page.nextCursor === null) return null;
          return ask(type, { ...sent, ...(page && { cursor: page.page.nextCursor ?? '' }) });
        },
        there,
        touched,
      );
      const unchanged = ({ key }: Row) => !touched.get(key)?.intersection(watched(query)).size;
      const met = idsOf(forwards);
      for (const row of expected.filter(unchanged)) {
        assert.equal(met.filter((id) => id === row.id).length, 1, `${row.key} did not change`);
        stayed += 1;
      }
      for (const row of market.values())
        if (unchanged(row) && !expected.some(({ key }) => key === row.key)) assert.ok(!met.includes(row.id));
      noVersionTwice(forwards);

      const last = forwards.at(-1) ?? null;
      const backwards = await stroll(
        last,
        async (page) => (page?.page.prevCursor ? ask(type, { ...sent, cursor: page.page.prevCursor }) : null),
        back,
        touched,
      );
      const metBack = idsOf(backwards);
      for (const row of expected.filter(unchanged))
        assert.equal(
          metBack.filter((id) => id === row.id).length,
          1,
          `${row.key} did not change on the way back`,
        );
      noVersionTwice(backwards);
      changed += touched.size;
    }),
    runs(20, 37),
  );
  assert.ok(stayed > 200 && changed > 200, `some stayed, ${stayed}, and some changed, ${changed}`);
});

test('a page that was emptied meanwhile leads back to where the walk came from', async () => {
  const write = (status: 'ACTIVE' | 'HOLD', numbers: readonly number[]) =>
    service.database.transaction((tx) => {
      const drafts = numbers.map((each) => draft(`emptied-${each}`, { status, yearBuilt: 3000 + each }));
      return catalogue.write(tx, 'test', drafts, clock.now());
    });
  const { ids } = await write('ACTIVE', [1, 2, 3, 4]);
  const [one, two, three, four] = [1, 2, 3, 4].map((each) => ids.get(`emptied-${each}`));
  const query = { minYearBuilt: '3000', sort: 'yearBuilt', limit: '2', fields: 'id' };
  const first = await ask('sale', query);
  assert.deepEqual(idsOf([first]), [one, two]);
  const cursorTo = (cursor: string | null) => ({ ...query, cursor: cursor ?? '' });
  await write('HOLD', [3, 4]);
  const emptied = await ask('sale', cursorTo(first.page.nextCursor));
  assert.deepEqual([idsOf([emptied]), emptied.page.hasMore], [[], false]);
  const before = await ask('sale', cursorTo(emptied.page.prevCursor));
  assert.deepEqual(idsOf([before]), [one, two]);

  await write('ACTIVE', [3, 4]);
  const second = await ask('sale', cursorTo(first.page.nextCursor));
  assert.deepEqual(idsOf([second]), [three, four]);
  await write('HOLD', [1, 2]);
  const start = await ask('sale', cursorTo(second.page.prevCursor));
  assert.deepEqual(idsOf([start]), []);
  assert.deepEqual(idsOf([await ask('sale', cursorTo(start.page.nextCursor))]), [three, four]);
});
