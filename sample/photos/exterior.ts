// Pictures of buildings from outside: the form follows kind, storeys and size.
import { type Home, isInBuilding } from '../market/home.ts';
import type { Random } from '../random.ts';
import { drawBlock, drawRow, drawShop } from './blocks.ts';
import { CENTRE, type Drawn, drawDoor, windowStyle } from './openings.ts';
import { drawPaint, INK, LINE, PAPER, type Paint, SALE } from './palette.ts';
import { drawGround, drawHorizon, drawSky, drawTrees, GROUND, type Surroundings } from './setting.ts';
import { blend, define, ellipse, group, line, polygon, rect, use } from './svg.ts';

/** The whole picture of a home's front. `random` must be the home's own, so that it looks the same in every listing. */
export function drawFront(home: Home, around: Surroundings, random: Random, light: Random): string {
  const building = drawBuilding(home, random);
  return [
    drawSky(around, light),
    drawHorizon(around, random),
    drawGround(around, building.door),
    building.drawing,
    drawTrees(building.left, building.right, around, random),
  ].join('');
}

function drawBuilding(home: Home, random: Random): Drawn {
  const paint = drawPaint(random);
  if (isInBuilding(home.kind) && home.building)
    return drawBlock(home.building.stories, home.floor ?? 1, paint, random);
  if (home.kind === 'townhouse') return drawRow(home.stories ?? 3, paint, random);
  if (home.kind === 'office' || home.kind === 'retail' || home.kind === 'mixed')
    return drawShop(home.stories ?? 1, paint, random);
  return drawHouse(home, paint, random);
}

function drawHouse(home: Home, paint: Paint, random: Random): Drawn {
  const low = home.kind === 'manufactured';
  const stories = Math.min(3, home.units !== null ? Math.max(2, home.stories ?? 2) : (home.stories ?? 1));
  const width = Math.min(720, (low ? 420 : 260) + Math.sqrt(home.area ?? 900) * (low ? 3 : 5));
  const height = low ? 120 : 128 * stories + 14;
  const left = CENTRE - width / 2 + random.between(-60, 40);
  const top = GROUND - height;
  const doors = home.units !== null ? Math.min(4, home.units) : 1;
  const columns = Math.max(2 + (doors > 1 ? doors : 0), Math.round(width / 125));
  const doorAt = random.integer(0, columns - 1);
  const gap = width / columns;
  let openings = '';
  for (let story = 0; story < stories; story += 1) {
    for (let column = 0; column < columns; column += 1) {
      const x = left + gap * (column + 0.5);
      const isDoor =
        story === 0 && (doors > 1 ? column % Math.ceil(columns / doors) === 0 : column === doorAt);
      openings += isDoor ? drawDoor(x, paint) : use('w', x, GROUND - 128 * story - 100);
    }
  }
  const garage =
    home.garage > 0 && !low
      ? drawGarage(left + width, home.garage, paint)
      : { drawing: '', right: left + width };
  const drawing = [
    define('w', windowStyle(random.integer(44, 64), random.integer(56, 76), paint, random)),
    garage.drawing,
    drawRoof(left, top, width, home.kind === 'cabin' ? 1.5 : low ? 0.3 : 1, paint, random),
    rect(left, top, width, height, paint.wall),
    low
      ? rect(left, GROUND - 16, width, 16, blend(paint.wall, INK, 0.35))
      : rect(left, GROUND - 10, width, 10, blend(paint.wall, INK, 0.2)),
    openings,
    random.chance(0.3) && doors === 1 ? drawPorch(left + gap * (doorAt + 0.5), paint) : '',
  ].join('');
  return { drawing, left, right: garage.right, door: left + gap * (doorAt + 0.5) };
}

function drawRoof(
  left: number,
  top: number,
  width: number,
  pitch: number,
  paint: Paint,
  random: Random,
): string {
  const rise = Math.min(230, width * 0.28 * pitch);
  const eaves = 22;
  const chimney = random.chance(0.45)
    ? rect(left + width * random.between(0.6, 0.75), top - rise * 0.95, 34, rise * 0.8, blend(SALE, INK, 0.2))
    : '';
  const form = random.integer(0, 3);
  const edge: [number, number][] = [
    [left - eaves, top + 6],
    [left + width + eaves, top + 6],
  ];
  if (form === 0 && pitch === 1) return rect(left - 10, top - 22, width + 20, 28, paint.roof);
  if (form === 1 && pitch <= 1)
    return (
      chimney +
      polygon(
        [...edge, [left + width * 0.78, top - rise * 0.8], [left + width * 0.22, top - rise * 0.8]],
        paint.roof,
      )
    );
  const peak = form === 2 ? left + width * 0.34 : left + width / 2;
  const gable = polygon([...edge, [peak, top - rise]], paint.roof);
  const attic =
    rise > 90
      ? ellipse(peak, top - rise * 0.38, 17, 17, paint.trim) +
        ellipse(peak, top - rise * 0.38, 12, 12, paint.glass)
      : '';
  return chimney + gable + attic;
}

function drawGarage(left: number, cars: number, paint: Paint): { drawing: string; right: number } {
  const width = 60 + 80 * Math.min(2, cars);
  const door = width - 36;
  const slats = [0, 1, 2]
    .map((i) => line(left + 18, GROUND - 72 + i * 24, left + 18 + door, GROUND - 72 + i * 24, LINE, 3))
    .join('');
  const drawing =
    rect(left, GROUND - 126, width, 126, blend(paint.wall, INK, 0.06)) +
    rect(left - 4, GROUND - 140, width + 14, 18, paint.roof) +
    rect(left + 18, GROUND - 96, door, 96, PAPER) +
    slats;
  return { drawing, right: left + width };
}

function drawPorch(x: number, paint: Paint): string {
  return (
    polygon(
      [
        [x - 82, GROUND - 118],
        [x + 82, GROUND - 118],
        [x, GROUND - 164],
      ],
      paint.roof,
    ) +
    rect(x - 74, GROUND - 118, 10, 118, paint.trim) +
    rect(x + 64, GROUND - 118, 10, 118, paint.trim)
  );
}

/** The same front seen from across the road. */
export function drawStreet(home: Home, around: Surroundings, random: Random, light: Random): string {
  const road =
    rect(0, 650, 1200, 150, '#B9B6AC') +
    `<path d="M0 728H1200" stroke="${PAPER}" stroke-width="6" stroke-dasharray="60 40"/>` +
    rect(0, 636, 1200, 16, LINE);
  const building = drawBuilding(home, random);
  return [
    drawSky(around, light),
    drawHorizon(around, random),
    rect(0, GROUND, 1200, 190, around.season.lawn),
    group(`translate(${light.integer(40, 420)} 240) scale(.62)`, building.drawing),
    drawTrees(180, 960, around, light),
    road,
  ].join('');
}
