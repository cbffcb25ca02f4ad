// Proves that shapes end for one row where they end in PostgreSQL: on edges, corners and circles, to the last bit.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { boxesAround, type Point } from '../../src/geometry/geometry.ts';
import { compileShape, distanceKm } from '../../src/search/query/shape-predicate.ts';
import { boxesOf, type Part, type Shape } from '../../src/search/query/shapes.ts';
import { conditionsSql, distanceSql } from '../../src/search/sql/condition-sql.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });

const CONTEXT = { listingType: 'sale', ignoreDisplayRules: true, startedAt: 0 } as const;
const NOTHING = {
  areas: [],
  areaNos: [],
  words: new Map(),
};

/** Which of the points lie in the shape by PostgreSQL. */
async function inPostgres(shape: Shape, points: readonly Point[]): Promise<boolean[]> {
  const texts = points.map(({ lng, lat }) => `(${lng},${lat})`);
  const rows = await database.read(
    (sql) => sql<{ within: boolean }[]>`
      select coalesce(${conditionsSql(sql, [shape], CONTEXT, NOTHING)}, false) as within
      from (select point(text) as location, at from unnest(${texts}::text[]) with ordinality as given (text, at)) as listing_search
      order by at`,
  );
  return rows.map(({ within }) => within);
}

/** Holds both to the same points; gives how many lie in the shape. */
async function compare(shape: Shape, points: readonly Point[]): Promise<number> {
  const expected = await inPostgres(shape, points);
  const holds = compileShape(shape);
  for (const [at, { lng, lat }] of points.entries())
    assert.equal(holds({ location: `(${lng},${lat})` }), expected[at], JSON.stringify({ lng, lat, shape }));
  return expected.filter(Boolean).length;
}

const bits = new DataView(new ArrayBuffer(8));
/** The number so many doubles further from zero. */
function stepped(value: number, steps: number): number {
  if (value === 0) return steps * Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(steps));
  return bits.getFloat64(0);
}

/** Evenly spread from 0 to 1. */
const fraction = fc.integer({ min: 0, max: 2 ** 30 }).map((at) => at / 2 ** 30);
const between = (min: number, max: number) => fraction.map((at) => min + at * (max - min));
/** Steps of doubles, and lengths around PostgreSQL's tolerance of 1e-6 / 1024 degrees. */
const nudge = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map((steps) => (value: number) => stepped(value, steps)),
  fc
    .constantFrom(1e-12, 9.7e-10, 9.765625e-10, 9.8e-10, 1e-9, 1e-8, 1e-7)
    .chain((length) => fc.constantFrom(length, -length))
    .map((length) => (value: number) => value + length),
);

const round = (value: number, digits: number) => Number(value.toFixed(digits));

/** A ring around a middle; half of them with upright and level edges, or nearly so. */
const ringArbitrary = (middle: Point, size: number, digits: number) =>
  fc
    .array(fc.tuple(fraction, fraction, fc.constantFrom(0, 0, 1, 2, 3)), { minLength: 3, maxLength: 9 })
    .map((corners) => {
      const ring: Point[] = [];
      for (const [across, up, level] of corners) {
        const before = ring.at(-1);
        const free = {
          lng: round(middle.lng + (across - 0.5) * size, digits),
          lat: round(middle.lat + (up - 0.5) * size, digits),
        };
        if (before === undefined || level === 0) ring.push(free);
        else if (level === 1) ring.push({ ...free, lng: before.lng });
        else if (level === 2) ring.push({ ...free, lat: before.lat });
        else ring.push({ ...free, lng: before.lng + 10 ** -digits });
      }
      return ring;
    });

const middleArbitrary = fc.record({
  lng: between(-179, 179),
  lat: between(-85, 85),
});

const drawnArbitrary = fc
  .tuple(middleArbitrary, fc.constantFrom(1e-3, 0.02, 0.5, 1), fc.constantFrom(5, 7, 9, 14))
  .chain(([middle, size, digits]) =>
    fc.record({
      shell: ringArbitrary(middle, size, digits),
      holes: fc.array(ringArbitrary(middle, size * 0.7, digits), { maxLength: 2 }),
    }),
  );

const alongArbitrary = fc.array(
  fc.record({
    edge: fc.nat({ max: 8 }),
    at: fc.oneof(fc.constantFrom(0, 0.5, 1), fraction),
    lng: nudge,
    lat: nudge,
  }),
  { minLength: 60, maxLength: 60 },
);
type Along = typeof alongArbitrary extends fc.Arbitrary<infer A> ? A : never;

/** Points on the edges of a part, as near as doubles come, and beside them. */
const pointsAlong = ({ shell, holes }: Part, along: Along): Point[] =>
  [shell, ...holes].flatMap((ring) =>
    along.map(({ edge, at, lng, lat }) => {
      const [from, to] = [ring[edge % ring.length], ring[(edge + 1) % ring.length]];
      assert.ok(from !== undefined && to !== undefined);
      return {
        lng: lng(from.lng + (to.lng - from.lng) * at),
        lat: lat(from.lat + (to.lat - from.lat) * at),
      };
    }),
  );

test('a point on or beside an edge of a polygon or of its holes is in it as PostgreSQL has it', async () => {
  let [points, within] = [0, 0];
  await fc.assert(
    fc.asyncProperty(drawnArbitrary, alongArbitrary, async (part, along) => {
      const places = pointsAlong(part, along);
      within += await compare({ kind: 'polygon', parts: [part], boxes: boxesOf([part]) }, places);
      points += places.length;
    }),
    { ...runs(400, 31), endOnFailure: true },
  );
  assert.ok(within > points / 10 && within < points * 0.9, `${within} of ${points}`);
});

/** As precise as coordinates get: a ten-thousandth of a millimetre. */
const DIGITS = 12;
/** Kilometres: a nanometre. */
const NANOMETRE = 1e-12;

const circleArbitrary = fc
  .tuple(between(-180, 180), between(-89, 89), fc.constantFrom(0.001, 0.5, 1, 1.609344, 8.04672, 25, 60, 100))
  .map(([lng, lat, km]): Shape & { kind: 'circle' } => {
    const centre = { lng: round(lng, 6), lat: round(lat, 6) };
    return { kind: 'circle', centre, km, boxes: boxesAround(centre, km) };
  });

test('a point on or beside a circle is in it as PostgreSQL has it', async () => {
  const beside = fc.array(fc.tuple(fraction, fc.integer({ min: -4, max: 4 })), {
    minLength: 40,
    maxLength: 40,
  });
  let [points, within] = [0, 0];
  await fc.assert(
    fc.asyncProperty(circleArbitrary, beside, async (shape, bearings) => {
      const places = bearings.map(([turn, steps]) => {
        const { lng, lat } = edgePoint(shape, turn);
        return { lng: round(lng, DIGITS), lat: round(lat + steps * 10 ** -DIGITS, DIGITS) };
      });
      within += await compare(shape, places);
      points += places.length;
    }),
    { ...runs(300, 32), endOnFailure: true },
  );
  assert.ok(within > points / 10 && within < points * 0.9, `${within} of ${points}`);
});

test('a point as far away as the radius is in the circle', async () => {
  const away = fc.tuple(between(-0.01, 0.01), between(-0.01, 0.01));
  let equal = 0;
  await fc.assert(
    fc.asyncProperty(middleArbitrary, away, async (centre, [lng, lat]) => {
      const point = { lng: centre.lng + lng, lat: centre.lat + lat };
      const km = distanceKm(centre, point.lng, point.lat);
      const [row] = await distancesInPostgres(centre, [point]);
      // The last bit of a sine or a root may be another one there.
      if (row?.km !== km) return;
      equal++;
      assert.equal(await compare({ kind: 'circle', centre, km, boxes: boxesAround(centre, km) }, [point]), 1);
    }),
    { ...runs(100, 34), endOnFailure: true },
  );
  assert.ok(equal > 20, `${equal} distances are the same`);
});

test('a distance differs from that of PostgreSQL by less than a nanometre', async () => {
  const away = fc.array(fc.tuple(between(-1, 1), between(-1, 1)), { minLength: 100, maxLength: 100 });
  await fc.assert(
    fc.asyncProperty(circleArbitrary, away, async ({ centre }, steps) => {
      const points = steps.map(([lng, lat]) => ({ lng: centre.lng + lng, lat: centre.lat + lat }));
      const rows = await distancesInPostgres(centre, points);
      for (const [at, { lng, lat }] of points.entries()) {
        const km = distanceKm(centre, lng, lat);
        assert.ok(Math.abs(km - (rows[at]?.km ?? 0)) < NANOMETRE, `${km}, not ${rows[at]?.km}`);
      }
    }),
    { ...runs(100, 33), endOnFailure: true },
  );
});

/** In their order. */
function distancesInPostgres(centre: Point, points: readonly Point[]): Promise<readonly { km: number }[]> {
  const texts = points.map(({ lng, lat }) => `(${lng},${lat})`);
  return database.read(
    (sql) => sql<{ km: number }[]>`
      select ${distanceSql(sql, centre)} as km
      from (select point(text) as location, at from unnest(${texts}::text[]) with ordinality as given (text, at)) as listing_search
      order by at`,
  );
}

/** The last point of the circle on a bearing from its centre. */
function edgePoint(shape: Shape & { kind: 'circle' }, turn: number): Point {
  const holds = compileShape(shape);
  const at = (length: number): Point => ({
    lng: shape.centre.lng + length * Math.cos(turn * 2 * Math.PI),
    lat: shape.centre.lat + length * Math.sin(turn * 2 * Math.PI),
  });
  let [inner, outer] = [0, 180];
  for (;;) {
    const middle = (inner + outer) / 2;
    const { lng, lat } = at(middle);
    if (middle <= inner || middle >= outer) return at(inner);
    if (holds({ location: `(${lng},${lat})` })) inner = middle;
    else outer = middle;
  }
}
