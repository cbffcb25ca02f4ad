// Proves the counts of random views against a plain loop over the same listings, by the engine and by PostgreSQL: totals, pins,
// clusters with their own boxes, and what each filter would give. What is withheld is in none of them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { gridOf } from '../../../src/explore/view/map-parts.ts';
import type { View } from '../../../src/explore/view/view.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import type { MapBox } from '../../../src/page/map/mercator.ts';
import {
  type Facts,
  factsArbitrary,
  NOW,
  type Row,
  writeAreas,
  writeMarket,
} from '../../support/catalogue/random-market.ts';
import { runs } from '../../support/check/runs.ts';
import type { Query } from '../../support/oracle/filters.ts';
import { FILTERS, finds, seenAt } from '../../support/oracle/search-oracle.ts';
import { medianOf, pricesOf } from '../../support/oracle/summaries.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';

const clock = manualClock(NOW);
const service = await startService({ after }, { clock });
await writeAreas(service.database);
const sampled = fc.sample(fc.array(factsArbitrary, { minLength: 2_600, maxLength: 2_600, size: 'max' }), {
  seed: 41,
  numRuns: 1,
});
/** Few positions are shared by all, so that some views have pins and others clusters. */
const spread = (sampled[0] ?? []).map((facts, at) => ({
  ...facts,
  lng: at % 3 === 0 ? facts.lng : 20 + ((at * 37) % 1_000) / 1_000,
  lat: at % 3 === 0 ? facts.lat : 10 + ((at * 91) % 1_000) / 1_000,
})) as Facts[];
const market = await writeMarket(service.database, createCatalogue(service.database), spread);
const byId = new Map(market.map((row) => [row.id, row]));

type Kind = 'sale' | 'rental';
async function view(kind: Kind, query: Query): Promise<View> {
  const parameters = new URLSearchParams({ for: kind, ...query });
  return service.json(`/explore/view?${parameters}`, nextKey());
}
/** Views are counted by subscription. */
let asked = 0;
const nextKey = (): string =>
  [service.keys.free, service.keys.pro, service.keys.business, service.keys.internal][asked++ % 4] ?? '';

const BOXES: readonly MapBox[] = [
  [-180, -90, 180, 90],
  [19.9, 9.9, 21.1, 11.3],
  [20.2, 10.1, 20.6, 10.6],
  [20.41, 10.2, 20.44, 10.4],
  [179, 9, -179, 12],
];
/** What the engine answers, and what PostgreSQL does. */
const SCOPES: readonly Query[] = [{ status: 'ACTIVE,COMING_SOON,ACTIVE_UNDER_CONTRACT' }, { status: 'any' }];

const queries = fc.record({
  kind: fc.constantFrom<Kind>('sale', 'rental'),
  box: fc.constantFrom(...BOXES),
  scope: fc.constantFrom(...SCOPES),
  filter: fc.oneof(
    fc.constant<Query>({}),
    fc
      .constantFrom(
        ...FILTERS.filter(
          ({ saleOnly, rentalOnly, parameters, alone }) =>
            !saleOnly &&
            !rentalOnly &&
            !alone &&
            !parameters.some((name) => ['ids', 'bbox', 'status'].includes(name)),
        ),
      )
      .chain(({ values }) => values),
  ),
});

/** As pins show them: of sold homes what they closed at. */
const shownPricesOf = (rows: readonly Row[]): number[] =>
  rows.flatMap((row) => closedAt(row) ?? pricesOf([row])).sort((a, b) => a - b);

const closedAt = ({ facts }: Row): number | null =>
  facts.listingType === 'sale' && facts.status === 'CLOSED' ? facts.closePrice : null;

/** Cells of the grid with their count, median and box. */
function cellsOf(rows: readonly Row[], box: MapBox) {
  const { bits } = gridOf(box);
  const [columns, lines] = [2 ** bits.lng, 2 ** bits.lat];
  const places = rows.map((row) => ({ row, at: seenAt(row.facts) ?? assert.fail() }));
  const groups = Map.groupBy(places, ({ at }) => {
    const column = Math.min(Math.floor(((at.lng + 180) / 360) * columns), columns - 1);
    const line = Math.min(Math.floor(((at.lat + 90) / 180) * lines), lines - 1);
    return column * lines + line;
  });
  return [...groups.values()].map((own) => {
    const [lngs, lats] = [own.map(({ at }) => at.lng), own.map(({ at }) => at.lat)];
    return {
      count: own.length,
      median: medianOf(shownPricesOf(own.map(({ row }) => row))),
      box: [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)],
    };
  });
}

const texts = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();
/** Halves of a cent are rounded by either side. */
const whole = (median: number | null) => median && Math.round(median);
const rounded = (values: readonly number[]) => values.map((value) => Math.round(value * 1e4) / 1e4);

let withPins = 0;
let withClusters = 0;

test('a view counts, pins and clusters exactly what a plain loop finds, and no listing or position that is withheld', async () => {
  await fc.assert(
    fc.asyncProperty(queries, async ({ kind, box, scope, filter }) => {
      const query = { ...scope, ...filter, bbox: box.join() };
      const expected = market.filter((row) => finds(kind, query, row, NOW));
      const shown = await view(kind, query);
      assert.equal(shown.total, expected.length);
      for (const { id } of shown.list) assert.ok(byId.get(id)?.facts.displayed);
      if (expected.length <= 200) {
        withPins++;
        assert.equal(shown.clusters.length, 0);
        const pins = expected.map(({ id, facts }) => {
          const { lng, lat } = seenAt(facts) ?? assert.fail();
          return [id, lng, lat];
        });
        assert.deepEqual(texts(shown.pins.map(([id, , , , lng, lat]) => [id, lng, lat])), texts(pins));
        for (const [id, , price] of shown.pins)
          assert.equal(price, shownPricesOf([byId.get(id) ?? assert.fail()])[0] ?? null);
        assert.equal(whole(shown.medianPrice), whole(medianOf(shownPricesOf(expected))));
        return;
      }
      withClusters++;
      assert.equal(shown.pins.length, 0);
      const found = shown.clusters.map(([, , count, median, ...own]) => ({
        count,
        median: whole(median),
        box: rounded(own),
      }));
      const cells = cellsOf(expected, box).map((cell) => ({
        ...cell,
        median: whole(cell.median),
        box: rounded(cell.box),
      }));
      assert.deepEqual(texts(found), texts(cells));
    }),
    runs(60, 5),
  );
  assert.ok(withPins > 5 && withClusters > 5, `${withPins} with pins, ${withClusters} with clusters`);
});

test('the own box of each cluster shows all of its homes, and shows them apart', async () => {
  for (const scope of SCOPES) {
    const wide = await view('sale', { ...scope, bbox: BOXES[1]?.join() ?? '' });
    assert.ok(wide.clusters.length > 1);
    for (const [, , count, , ...box] of wide.clusters.slice(0, 8)) {
      const inside = await view('sale', { ...scope, bbox: box.join() });
      assert.ok(inside.total >= count);
      const isOnePlace = box[2] - box[0] < 1e-4 && box[3] - box[1] < 1e-4;
      assert.ok(isOnePlace || inside.pins.length + inside.clusters.length > 1);
    }
  }
});

test('what is typed leads to places and homes, and to none whose address or listing is withheld', async () => {
  interface Suggested {
    readonly places: { name: string }[];
    readonly homes: { id: string; address: string }[];
  }
  const typed = (q: string): Promise<Suggested> =>
    service.json(`/explore/suggest?q=${encodeURIComponent(q)}`, nextKey());
  assert.deepEqual(
    (await typed('umb')).places.map(({ name }) => name),
    ['Umbra'],
  );
  assert.deepEqual(await typed('--'), { places: [], homes: [], listing: null });
  const { homes } = await typed('12 Oak S');
  assert.ok(homes.length > 0);
  for (const { id, address } of homes) {
    const facts = byId.get(id)?.facts;
    assert.ok(facts?.displayed && facts.addressDisplayed && facts.status === 'ACTIVE');
    assert.match(address, /^12 Oak Street/);
  }
});

test('a view without homes leads to nearer ones by fewer filters and by a wider map, with as many homes as each then shows', async () => {
  const bbox = '20.1015,10.0015,20.1185,10.0145';
  const query = { bbox, minBedrooms: '3', status: 'ACTIVE' };
  assert.equal((await view('sale', query)).total, 0);
  const parameters = new URLSearchParams({ for: 'sale', ...query });
  const facets: { ways: { label: string; changes: Record<string, string | null>; count: number }[] } =
    await service.json(`/explore/facets?${parameters}`, nextKey());
  assert.ok(facets.ways.some(({ label }) => label === 'A wider map'));
  for (const { changes, count } of facets.ways) {
    const changed = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== null);
    assert.equal((await view('sale', Object.fromEntries(changed) as Query)).total, count);
  }
});

test('each number beside a filter is that of the view with it', async () => {
  interface Facets {
    readonly beds: { value: string; count: number }[];
    readonly offers: { changes: Record<string, string>; count: number }[];
    readonly types: { value: string; count: number }[];
  }
  for (const scope of SCOPES) {
    const query = { ...scope, bbox: BOXES[1]?.join() ?? '' };
    const parameters = new URLSearchParams({ for: 'sale', ...query });
    const facets: Facets = await service.json(`/explore/facets?${parameters}`, nextKey());
    const total = (more: Query) =>
      market.filter((row) => finds('sale', { ...query, ...more }, row, NOW)).length;
    for (const { value, count } of facets.beds) assert.equal(count, total({ minBedrooms: value }));
    for (const { value, count } of facets.types) assert.equal(count, total({ propertyType: value }));
    assert.ok(facets.beds.length > 0 && facets.types.length > 0);
  }
});
