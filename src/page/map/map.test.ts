// Maps: projection, merging of symbols, borders and bytes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { bordersOf } from './borders.ts';
import { clippedRing } from './clip.ts';
import { drawMap } from './draw-map.ts';
import type { MapPin, Outline } from './drawing.ts';
import { scaleBar } from './graticule.ts';
import { boxAround, boxOfView, placeIn, project, unproject, viewOf } from './mercator.ts';
import { clusterRadius, mergeOverlapping, pinHalf } from './symbols.ts';

const degrees = fc.record({
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
  lat: fc.double({ min: -85, max: 85, noNaN: true }),
});

test('a point projected and back is the same point', () => {
  fc.assert(
    fc.property(degrees, fc.double({ min: 0, max: 19, noNaN: true }), ({ lng, lat }, zoom) => {
      const [x, y] = unproject(...project(lng, lat, zoom), zoom);
      assert.ok(Math.abs(x - lng) < 1e-9 && Math.abs(y - lat) < 1e-9);
    }),
  );
});

test('a view shows the whole of its box, also across the antimeridian', () => {
  fc.assert(
    fc.property(
      degrees,
      fc.double({ min: 0.01, max: 60, noNaN: true }),
      fc.double({ min: 0.01, max: 40, noNaN: true }),
      ({ lng, lat }, across, up) => {
        const [south, north] = [Math.max(-85, lat - up), lat];
        if (north - south < 0.01) return;
        const east = lng + across > 180 ? lng + across - 360 : lng + across;
        const view = viewOf([lng, south, east, north], 800, 600);
        for (const [x, y] of [placeIn(view, lng, north), placeIn(view, east, south)])
          assert.ok(x > -0.01 && x < 800.01 && y > -0.01 && y < 600.01, `${x} ${y}`);
      },
    ),
  );
});

test('the box around a point is what a view of it shows', () => {
  const box = boxAround({ lng: 179.99, lat: 10 }, 10, 800, 600);
  assert.ok(box[0] > box[2], 'it crosses the antimeridian');
  assert.deepEqual(boxOfView(viewOf(box, 800, 600)), box);
});

const pins = fc.uniqueArray(
  fc.record({
    id: fc.uuid(),
    kind: fc.constant('sale' as const),
    price: fc.option(fc.integer({ min: 1_000, max: 3_000_000 })),
    beds: fc.constant(2),
    lng: fc.double({ min: 0, max: 0.1, noNaN: true }),
    lat: fc.double({ min: 0, max: 0.1, noNaN: true }),
  }),
  { maxLength: 60, selector: ({ id }) => id },
);

test('merged symbols stand for every home once and do not overlap, whatever their order', () => {
  fc.assert(
    fc.property(pins, fc.double({ min: 8, max: 16, noNaN: true }), (homes, zoom) => {
      const merged = mergeOverlapping({ clusters: [], pins: homes }, zoom, 'USD');
      const counted =
        merged.clusters.reduce((sum, { count }) => sum + count, 0) +
        merged.pins.reduce((sum, { others = [] }) => sum + 1 + others.length, 0);
      assert.equal(counted, homes.length);
      const boxes = [
        ...merged.clusters.map(({ lng, lat, count }) => {
          const [x, y] = project(lng, lat, zoom);
          const radius = clusterRadius(count);
          return [x - radius, y - radius, x + radius, y + radius] as const;
        }),
        ...merged.pins.map((pin: MapPin) => {
          const [x, y] = project(pin.lng, pin.lat, zoom);
          return [x - pinHalf(pin, 'USD'), y - 27, x + pinHalf(pin, 'USD'), y] as const;
        }),
      ];
      for (const [at, [left, top, right, bottom]] of boxes.entries())
        for (const other of boxes.slice(at + 1))
          assert.ok(left >= other[2] || other[0] >= right || top >= other[3] || other[1] >= bottom);
      assert.deepEqual(mergeOverlapping({ clusters: [], pins: homes.toReversed() }, zoom, 'USD'), merged);
    }),
  );
});

test('a merged median is that of its homes', () => {
  const home = (id: string, price: number, lng: number) =>
    ({ id, kind: 'sale', price, beds: 2, lng, lat: 0 }) as const;
  const { clusters } = mergeOverlapping(
    { clusters: [], pins: [home('a', 100_000, 0), home('b', 300_000, 0.0001), home('c', 200_000, 0.0002)] },
    10,
  );
  assert.deepEqual(
    clusters.map(({ count, median, box }) => [count, median, box]),
    [[3, 200_000, [0, 0, 0.0002, 0]]],
  );
});

const square = (id: string, west: number, parentId: string | null, level: number, side = 1): Outline => ({
  id,
  name: id,
  type: 'city',
  level,
  parentId,
  rings: [[west, 0, west + side, 0, west + side, side, west, side]],
  labelAt: [west + side / 2, side / 2],
});

test('each border is drawn once: the coast around all, and one line between neighbours', () => {
  const ring = (x: number) => [x, 0, x, 10, x + 10, 10, x + 10, 0];
  const { land, major, minor } = bordersOf([
    { rings: [ring(0)], isRoot: true, isMajor: true },
    { rings: [ring(10)], isRoot: true, isMajor: true },
    { rings: [ring(10)], isRoot: false, isMajor: false },
  ]);
  assert.match(land, /^M[^M]+z$/, 'one ring');
  assert.match(major, /^M10 \d+l0[ -]\d+$/, 'one line');
  assert.equal(minor, '', 'the same border is not drawn again');
});

test('a ring cut off at a rectangle stays within it and keeps its inside', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -50, max: 50, noNaN: true }),
      fc.double({ min: 1, max: 80, noNaN: true }),
      (at, side) => {
        const cut = clippedRing([at, at, at + side, at, at + side, at + side, at, at + side], [0, 0, 20, 20]);
        const [from, to] = [Math.max(0, at), Math.min(20, at + side)];
        let area = 0;
        for (let i = 0; i < cut.length; i += 2) {
          const [x = 0, y = 0, nextX = 0, nextY = 0] = [
            cut[i],
            cut[i + 1],
            cut[(i + 2) % cut.length],
            cut[(i + 3) % cut.length],
          ];
          area += (x * nextY - nextX * y) / 2;
          assert.ok(x >= 0 && x <= 20 && y >= 0 && y <= 20);
        }
        const expected = Math.max(0, to - from) ** 2;
        assert.ok(Math.abs(area - expected) < 1e-6, `${area} ${expected}`);
      },
    ),
  );
});

test('a map of many areas and homes is small, and everything on it says what it is', () => {
  const outlines = Array.from({ length: 60 }, (_, at) => square(`Area <${at}>`, at, null, 3));
  const homes = Array.from({ length: 200 }, (_, at) => ({
    id: `lst_${at}`,
    kind: 'rental' as const,
    price: 1_500 + at,
    beds: 2,
    lng: (at * 0.29) % 60,
    lat: (at * 0.37) % 1,
    dropped: at % 3 === 0,
  }));
  const { text } = drawMap({
    label: 'Map of sixty areas',
    box: [0, 0, 60, 1],
    width: 1000,
    height: 700,
    ground: 'water',
    outlines,
    chosen: ['Area <3>'],
    pins: homes,
    currency: 'USD',
    shades: new Map([
      ['Area <4>', 0],
      ['Area <5>', 3],
    ]),
    linkToPin: ({ id }) => `listing/${id}`,
    linkToCluster: ({ box }) => `?bbox=${box.join()}`,
    linkToArea: ({ id }) => `?areaId=${encodeURIComponent(id)}`,
  });
  assert.ok(brotliCompressSync(text).length < 12_000);
  assert.ok(!text.includes('<60>') && !/Area <\d/.test(text), 'names are escaped');
  assert.equal(text.match(/style=/), null, 'no style attribute: pages refuse them');
  assert.equal((text.match(/<a /g) ?? []).length >= (text.match(/class="(?:cl|pn) /g) ?? []).length, true);
  assert.match(text, /aria-label="[\d,]+ homes to rent[^"]*"/);
  assert.match(text, /url\(#map-hatch\)/, 'too few homes are hatched');
  assert.match(scaleBar(viewOf([0, 0, 1, 1], 800, 600), 'km').text, /Scale: \d+ km/);
});
