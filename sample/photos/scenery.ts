// Pictures of ground and distance: lots, gardens, views.
import type { Random } from '../random.ts';
import { INK, LINE, PAPER, SALE, WATER } from './palette.ts';
import {
  drawHorizon,
  drawSky,
  drawSkyline,
  drawTree,
  GROUND,
  HEIGHT,
  type Surroundings,
  WIDTH,
} from './setting.ts';
import { blend, ellipse, line, polygon, rect } from './svg.ts';

/** Open ground with its corners staked out. */
export function drawLot(around: Surroundings, random: Random): string {
  const left = random.between(120, 260);
  const right = random.between(920, 1080);
  const stakes: [number, number][] = [
    [left + 110, GROUND + 10],
    [right - 110, GROUND + 10],
    [right, HEIGHT - 60],
    [left, HEIGHT - 60],
  ];
  const grass = Array.from({ length: 26 }, () => {
    const x = random.between(0, WIDTH);
    const y = random.between(GROUND + 20, HEIGHT);
    return `M${Math.round(x)} ${Math.round(y)}l4-16l5 16`;
  }).join('');
  return [
    drawSky(around, random),
    drawHorizon(around, random),
    rect(0, GROUND - 20, WIDTH, HEIGHT - GROUND + 20, around.season.lawn),
    trees(6, around, random),
    `<path d="${grass}" fill="none" stroke="${blend(around.season.lawn, INK, 0.25)}" stroke-width="3"/>`,
    polygon(stakes, 'none', `stroke="${SALE}" stroke-width="4" stroke-dasharray="18 12"`),
    stakes.map(([x, y]) => rect(x - 5, y - 44, 10, 48, PAPER) + rect(x - 5, y - 44, 10, 14, SALE)).join(''),
  ].join('');
}

function trees(count: number, around: Surroundings, random: Random): string {
  return Array.from({ length: count }, () =>
    drawTree(
      random.between(0, WIDTH),
      GROUND + random.between(-14, 4),
      random.between(0.5, 1.1),
      around.season,
      random,
    ),
  ).join('');
}

/** Behind the house: a lawn, a fence, a table. */
export function drawGarden(around: Surroundings, random: Random): string {
  const wood = random.pick(['#B59A76', '#8F7A5E', '#D8CDB8']);
  const fence = Array.from({ length: 25 }, (_, i) => `M${i * 49} 620V500l18-14l18 14V620Z`).join('');
  const table = random.integer(360, 760);
  return [
    drawSky(around, random),
    drawHorizon(around, random),
    trees(4, around, random),
    `<path d="${fence}" fill="${wood}"/>`,
    rect(0, 614, WIDTH, 186, around.season.lawn),
    polygon(
      [
        [120, 700],
        [1040, 690],
        [1200, 800],
        [0, 800],
      ],
      LINE,
    ),
    ellipse(table, 668, 120, 20, PAPER) + line(table, 670, table, 740, INK, 8),
    [-170, 170]
      .map(
        (at) =>
          rect(table + at - 40, 640, 80, 60, wood) +
          rect(table + at - 40, 580, 80, 60, blend(wood, PAPER, 0.3)),
      )
      .join(''),
    [80, 1110].map((x) => ellipse(x, 640, 70, 46, around.season.leaf)).join(''),
  ].join('');
}

/** What one sees from the home: water, city or hills, over a balcony's rail. */
export function drawView(around: Surroundings, random: Random): string {
  const far = around.shore
    ? rect(0, 470, WIDTH, 200, WATER) + boats(random)
    : around.urban > 0.3
      ? drawSkyline(blend(around.season.skyLow, INK, 0.22), random) +
        rect(0, GROUND - 40, WIDTH, 100, blend(around.season.lawn, INK, 0.15))
      : drawHorizon({ ...around, urban: 0 }, random) + rect(0, GROUND - 20, WIDTH, 100, around.season.lawn);
  const bars = Array.from({ length: 20 }, (_, i) => `M${30 + i * 60} 640V800`).join('');
  return [
    drawSky(around, random),
    far,
    trees(5, around, random),
    rect(0, 640, WIDTH, 160, blend(LINE, around.season.lawn, 0.5)),
    `<path d="${bars}" stroke="${INK}" stroke-width="5"/>`,
    rect(0, 624, WIDTH, 18, INK),
  ].join('');
}

function boats(random: Random): string {
  return Array.from({ length: random.integer(2, 5) }, () => {
    const x = random.between(80, 1120);
    const y = random.between(500, 580);
    return (
      polygon(
        [
          [x - 20, y],
          [x + 20, y],
          [x + 12, y + 10],
          [x - 12, y + 10],
        ],
        INK,
      ) +
      polygon(
        [
          [x, y - 4],
          [x, y - 52],
          [x + 24, y - 4],
        ],
        PAPER,
      )
    );
  }).join('');
}
