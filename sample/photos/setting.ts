// Surroundings of a building in a photo: sky, hills or skyline, trees, ground.
import type { Random } from '../random.ts';
import { INK, LAND, LINE, PAPER, type Season, WATER } from './palette.ts';
import { blend, ellipse, group, line, polygon, rect } from './svg.ts';

export const WIDTH = 1200;
export const HEIGHT = 800;
/** Where buildings meet the ground. */
export const GROUND = 610;

/** How built-up the surroundings look, and whether water shows. */
export interface Surroundings {
  readonly season: Season;
  readonly urban: number;
  readonly shore: boolean;
  readonly evening: boolean;
}

export function drawSky({ season, evening }: Surroundings, random: Random): string {
  const top = evening ? blend(season.skyTop, '#8A7F9C', 0.45) : season.skyTop;
  const low = evening ? '#F2D9BE' : season.skyLow;
  const sunX = random.between(150, 1050);
  const cloud = (): string => {
    const x = random.between(80, 1080);
    const y = random.between(60, 240);
    const size = random.between(50, 110);
    return (
      ellipse(x, y, size, size * 0.22, PAPER) +
      ellipse(x + size * 0.5, y - size * 0.14, size * 0.6, size * 0.22, PAPER)
    );
  };
  const clouds = Array.from({ length: random.integer(0, 3) }, cloud).join('');
  return [
    `<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${low}"/></linearGradient></defs>`,
    rect(0, 0, WIDTH, GROUND + 10, 'url(#s)'),
    ellipse(sunX, evening ? 430 : random.between(90, 170), 38, 38, evening ? '#F0B27A' : '#FBF3DC'),
    `<g opacity=".75">${clouds}</g>`,
  ].join('');
}

export function drawHorizon({ season, urban, shore }: Surroundings, random: Random): string {
  const far = blend(season.skyLow, season.leaf, 0.35);
  const near = blend(season.skyLow, season.leaf, 0.6);
  const ridge = (base: number, height: number, fill: string): string => {
    const points: [number, number][] = [[0, GROUND]];
    for (let x = 0; x <= WIDTH; x += 150) points.push([x, base - random.unit() * height]);
    return polygon([...points, [WIDTH, GROUND]], fill, 'stroke-linejoin="round"');
  };
  if (shore)
    return ridge(470, 60, far) + rect(0, 490, WIDTH, 130, WATER) + line(0, 540, WIDTH, 540, PAPER, 2);
  if (urban > 0.4) return drawSkyline(blend(season.skyLow, INK, 0.16), random);
  return ridge(500, 130, far) + ridge(570, 90, near);
}

export function drawSkyline(fill: string, random: Random): string {
  let drawing = '';
  for (let x = -20; x < WIDTH; ) {
    const width = random.between(60, 140);
    const height = random.between(90, 300);
    drawing += rect(x, GROUND - height, width, height, fill);
    x += width + random.between(0, 18);
  }
  return drawing;
}

/** Lawn or pavement, and the way to the door at `doorX`. */
export function drawGround({ season, urban }: Surroundings, doorX: number): string {
  const paved = urban > 0.45;
  const ground = paved ? LINE : season.lawn;
  const path = polygon(
    [
      [doorX - 22, GROUND],
      [doorX + 22, GROUND],
      [doorX + 80, HEIGHT],
      [doorX - 60, HEIGHT],
    ],
    blend(LINE, PAPER, 0.3),
  );
  const kerb = paved
    ? rect(0, 700, WIDTH, 100, blend(LINE, INK, 0.25)) + line(0, 700, WIDTH, 700, PAPER, 6)
    : '';
  return rect(0, GROUND, WIDTH, HEIGHT - GROUND, ground) + path + kerb;
}

/** A tree standing at (x, y): round, pointed or poplar-like. */
export function drawTree(x: number, y: number, size: number, season: Season, random: Random): string {
  const shape = random.integer(0, 2);
  const leaf = blend(season.leaf, LAND, random.between(0, 0.3));
  const trunk = rect(-5, -70, 10, 70, '#7A6A58');
  const crown =
    shape === 0
      ? ellipse(0, -120, 62, 70, leaf) + ellipse(34, -92, 40, 44, blend(leaf, INK, 0.08))
      : shape === 1
        ? polygon(
            [
              [0, -220],
              [52, -50],
              [-52, -50],
            ],
            blend('#3F5F4C', leaf, 0.35),
          )
        : ellipse(0, -130, 32, 96, leaf);
  return group(`translate(${Math.round(x)} ${Math.round(y)}) scale(${size.toFixed(2)})`, trunk + crown);
}

/** Trees to the left and right of the building, never before its door. */
export function drawTrees(left: number, right: number, { season }: Surroundings, random: Random): string {
  const spots = [
    ...Array.from({ length: random.integer(0, 3) }, () => random.between(20, Math.max(30, left - 30))),
    ...Array.from({ length: random.integer(1, 3) }, () => random.between(Math.min(right + 30, 1170), 1185)),
  ];
  return spots
    .map((x) => drawTree(x, GROUND + random.between(-5, 60), random.between(0.8, 1.7), season, random))
    .join('');
}
