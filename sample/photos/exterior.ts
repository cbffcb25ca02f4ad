// Owns pictures of buildings from outside: the form follows kind, storeys and size.
import type { Home } from '../market/home.ts';
import { isInBuilding } from '../market/home.ts';
import type { Random } from '../random.ts';
import { drawPaint, INK, LINE, PAPER, type Paint, SALE } from './palette.ts';
import { drawGround, drawHorizon, drawSky, drawTrees, GROUND, type Surroundings } from './setting.ts';
import { blend, define, ellipse, group, line, polygon, rect, use } from './svg.ts';

/** A building as drawn, and the span of ground it takes. */
interface Drawn {
  readonly drawing: string;
  readonly left: number;
  readonly right: number;
  readonly door: number;
}

const CENTRE = 600;

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

/** One window as a reusable drawing with its middle at the origin's top. */
function windowStyle(width: number, height: number, paint: Paint, random: Random): string {
  const frame =
    rect(-width / 2 - 4, -4, width + 8, height + 8, paint.trim) +
    rect(-width / 2, 0, width, height, paint.glass);
  const bars = random.integer(0, 2);
  const upright = bars > 0 ? line(0, 0, 0, height, paint.trim, 4) : '';
  const across = bars > 1 ? line(-width / 2, height / 2, width / 2, height / 2, paint.trim, 4) : '';
  return (
    frame + upright + across + rect(-width / 2 - 8, height + 4, width + 16, 6, blend(paint.wall, INK, 0.25))
  );
}

function drawDoor(x: number, paint: Paint, wide = 46): string {
  return (
    rect(x - wide / 2 - 6, GROUND - 106, wide + 12, 106, paint.trim) +
    rect(x - wide / 2, GROUND - 100, wide, 100, paint.door) +
    ellipse(x + wide / 2 - 9, GROUND - 50, 3, 3, PAPER)
  );
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

/** A block of flats; the flat on offer has its light on. */
function drawBlock(stories: number, floor: number, paint: Paint, random: Random): Drawn {
  const shown = Math.min(stories, 14);
  const story = Math.min(78, 500 / shown);
  const columns = random.integer(4, 8);
  const width = columns * random.between(62, 82);
  const height = shown * story + 26;
  const left = CENTRE - width / 2 + random.between(-80, 80);
  const top = GROUND - height;
  const gap = width / columns;
  const glassHeight = story * 0.55;
  const balconies = random.chance(0.45);
  const balcony = balconies
    ? rect(-gap * 0.36, glassHeight - 4, gap * 0.72, 9, blend(paint.trim, INK, 0.3))
    : '';
  const doorColumn = random.integer(1, columns - 2);
  const litColumn = (doorColumn + random.integer(1, columns - 1)) % columns;
  const litFloor = Math.min(shown - 1, Math.round(((floor - 1) / Math.max(1, stories - 1)) * (shown - 1)));
  const row = Array.from({ length: columns }, (_, column) => use('w', gap * (column + 0.5), 0)).join('');
  const rows = Array.from({ length: shown }, (_, level) =>
    use('r', left, GROUND - (level + 0.8) * story),
  ).join('');
  const lit = rect(
    left + gap * (litColumn + 0.23),
    GROUND - (litFloor + 0.8) * story,
    gap * 0.54,
    glassHeight,
    '#F3D9A0',
  );
  const crown = random.integer(0, 2);
  const roof =
    crown === 0
      ? rect(left - 12, top - 14, width + 24, 16, paint.roof)
      : crown === 1
        ? rect(left + width * 0.3, top - 46, width * 0.4, 48, blend(paint.wall, INK, 0.2))
        : rect(left, top - 8, width, 10, paint.trim);
  const doorX = left + gap * (doorColumn + 0.5);
  const drawing = [
    define(
      'w',
      rect(-gap * 0.27, 0, gap * 0.54, glassHeight, paint.glass) +
        line(0, 0, 0, glassHeight, paint.trim, 3) +
        balcony,
    ),
    rect(left, top, width, height, paint.wall),
    rect(left, GROUND - story, width, story, blend(paint.wall, INK, 0.14)),
    roof,
    define('r', row),
    rows,
    lit,
    rect(
      doorX - gap * 0.3,
      GROUND - Math.min(74, story + 20),
      gap * 0.6,
      Math.min(74, story + 20),
      paint.door,
    ),
    rect(doorX - gap * 0.6, GROUND - Math.min(84, story + 30), gap * 1.2, 10, paint.roof),
  ].join('');
  return { drawing, left, right: left + width, door: doorX };
}

/** A row of townhouses: the one on offer in full colour, its neighbours paler. */
function drawRow(stories: number, paint: Paint, random: Random): Drawn {
  const count = random.integer(3, 5);
  const each = random.between(150, 190);
  const left = CENTRE - (count * each) / 2;
  const ours = random.integer(1, count - 2);
  const height = Math.min(3, stories) * 122 + 20;
  let drawing = define('w', windowStyle(40, 66, paint, random));
  for (let house = 0; house < count; house += 1) {
    const x = left + house * each;
    const wall = house === ours ? paint.wall : blend(drawPaint(random).wall, PAPER, 0.45);
    drawing +=
      rect(x, GROUND - height, each, height, wall) +
      line(x, GROUND - height, x, GROUND, blend(wall, INK, 0.3), 3);
    drawing += random.chance(0.5)
      ? polygon(
          [
            [x, GROUND - height],
            [x + each, GROUND - height],
            [x + each / 2, GROUND - height - 84],
          ],
          paint.roof,
        )
      : rect(x, GROUND - height - 18, each, 20, paint.roof);
    for (let level = 0; level < Math.min(3, stories); level += 1) {
      drawing +=
        use('w', x + each * 0.7, GROUND - level * 122 - 104) +
        (level > 0
          ? use('w', x + each * 0.27, GROUND - level * 122 - 104)
          : drawDoor(
              x + each * 0.27,
              house === ours ? paint : { ...paint, door: blend(paint.door, PAPER, 0.4) },
              38,
            ));
    }
  }
  return { drawing, left, right: left + count * each, door: left + (ours + 0.27) * each };
}

/** Business premises: a shop front below, offices above. */
function drawShop(stories: number, paint: Paint, random: Random): Drawn {
  const width = random.between(440, 640);
  const left = CENTRE - width / 2;
  const height = 150 + (stories - 1) * 116;
  const bays = random.integer(3, 4);
  const bay = width / bays;
  const awning = Array.from({ length: 12 }, (_, i) =>
    rect(left + (i * width) / 12, GROUND - 150, width / 12, 34, i % 2 === 0 ? paint.door : PAPER),
  ).join('');
  const doorBay = random.integer(0, bays - 1);
  const fronts = Array.from({ length: bays }, (_, i) =>
    i === doorBay
      ? drawDoor(left + bay * (i + 0.5), paint, 60)
      : rect(left + bay * i + 16, GROUND - 104, bay - 32, 84, paint.glass),
  ).join('');
  let upper = '';
  for (let story = 1; story < stories; story += 1)
    for (let i = 0; i < bays * 2; i += 1)
      upper += use('w', left + (bay / 2) * (i + 0.5), GROUND - 150 - story * 116 + 34);
  const drawing =
    define('w', windowStyle(44, 64, paint, random)) +
    rect(left, GROUND - height, width, height, paint.wall) +
    rect(left - 10, GROUND - height - 16, width + 20, 18, paint.roof) +
    fronts +
    awning +
    upper;
  return { drawing, left, right: left + width, door: left + bay * (doorBay + 0.5) };
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
