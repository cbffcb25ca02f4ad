// Pictures of buildings that stand wall to wall or hold many: blocks of flats, rows of townhouses, shops.
import type { Random } from '../random.ts';
import { CENTRE, type Drawn, drawDoor, windowStyle } from './openings.ts';
import { drawPaint, INK, PAPER, type Paint } from './palette.ts';
import { GROUND } from './setting.ts';
import { blend, define, line, polygon, rect, use } from './svg.ts';

/** A block of flats; the flat on offer has its light on. */
export function drawBlock(stories: number, floor: number, paint: Paint, random: Random): Drawn {
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
export function drawRow(stories: number, paint: Paint, random: Random): Drawn {
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
export function drawShop(stories: number, paint: Paint, random: Random): Drawn {
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
