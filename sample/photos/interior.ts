// Pictures of rooms.
import type { Random } from '../random.ts';
import { ACCENT, INK, LINE, PAPER, RENTAL, SALE } from './palette.ts';
import { drawHorizon, drawSky, HEIGHT, type Surroundings, WIDTH } from './setting.ts';
import { blend, ellipse, group, line, polygon, rect } from './svg.ts';

export type Room = 'living' | 'kitchen' | 'bedroom' | 'bath' | 'dining' | 'hall';

const FLOOR = 590;
const WALLS = ['#F2ECDF', '#E9E4D6', '#DFE5DC', '#E3E7E6', '#EFE3D2', '#E6DAD0', '#DDE3E8'] as const;
const FLOORS = ['#C9A97E', '#B58F66', '#D8C09A', '#A58668', '#CDBFA8'] as const;
const CLOTHS = [ACCENT, SALE, RENTAL, '#8C9AA0', '#B59A6A', '#6F7F5F', '#7D5A6B'] as const;

export function drawRoom(room: Room, around: Surroundings, random: Random): string {
  const wall = random.pick(WALLS);
  const cloth = random.pick(CLOTHS);
  return (
    drawShell(room, wall, random) + drawOutlook(room, around, random) + FURNITURE[room](cloth, wall, random)
  );
}

function drawShell(room: Room, wall: string, random: Random): string {
  const floor = room === 'bath' ? '#D9DAD3' : random.pick(FLOORS);
  const shade = blend(floor, INK, 0.12);
  const boards = Array.from({ length: 9 }, (_, i) =>
    line(600 + (i - 4) * 90, FLOOR, 600 + (i - 4) * 330, HEIGHT, shade, 3),
  ).join('');
  return (
    rect(0, 0, WIDTH, FLOOR, wall) +
    rect(0, FLOOR, WIDTH, HEIGHT - FLOOR, floor) +
    boards +
    rect(0, FLOOR - 18, WIDTH, 18, PAPER)
  );
}

/** A window on the world outside. Baths get a small one, halls none. */
function drawOutlook(room: Room, around: Surroundings, random: Random): string {
  if (room === 'hall') return '';
  const small = room === 'bath' || room === 'kitchen';
  const width = small ? 170 : random.integer(220, 300);
  const height = small ? 190 : 300;
  const margin = random.integer(50, 90);
  // Windows keep to the sides: the middle of the wall belongs to the furniture.
  const x = random.chance(0.5) && room !== 'bath' ? margin : WIDTH - width - margin;
  const y = 120;
  const outside = group(
    `translate(${x} ${y}) scale(${(width / WIDTH).toFixed(3)} ${(height / 640).toFixed(3)})`,
    drawSky(around, random) + drawHorizon(around, random),
  );
  const bars =
    line(x + width / 2, y, x + width / 2, y + height, PAPER, 8) +
    line(x, y + height * 0.4, x + width, y + height * 0.4, PAPER, 6);
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="${PAPER}" stroke-width="14"/>`;
  return outside + bars + frame + rect(x - 20, y + height + 6, width + 40, 12, LINE);
}

type Furnish = (cloth: string, wall: string, random: Random) => string;

const FURNITURE: Readonly<Record<Room, Furnish>> = {
  living(cloth, _wall, random) {
    const x = random.integer(380, 520);
    const light = blend(cloth, PAPER, 0.25);
    return [
      ellipse(x + 180, 720, 380, 56, blend(cloth, PAPER, 0.7)),
      rect(x, 450, 380, 110, cloth, 'rx="18"') +
        rect(x - 30, 500, 60, 130, cloth, 'rx="18"') +
        rect(x + 350, 500, 60, 130, cloth, 'rx="18"'),
      rect(x + 30, 530, 155, 70, light, 'rx="10"') +
        rect(x + 195, 530, 155, 70, light, 'rx="10"') +
        rect(x, 594, 380, 36, blend(cloth, INK, 0.15)),
      rect(x + 110, 662, 180, 14, '#7A5C40') +
        rect(x + 126, 676, 10, 60, '#7A5C40') +
        rect(x + 264, 676, 10, 60, '#7A5C40'),
      drawPicture(x + 90, 220, random) + drawLamp(x + 470, 630),
    ].join('');
  },
  kitchen(cloth, wall, random) {
    const front = random.chance(0.5) ? PAPER : blend(cloth, PAPER, 0.2);
    const edge = blend(front, INK, 0.2);
    const doors = (y: number, height: number): string =>
      Array.from(
        { length: 6 },
        (_, i) =>
          rect(330 + i * 92, y, 86, height, front) + ellipse(330 + i * 92 + 76, y + height / 2, 4, 8, edge),
      ).join('');
    return [
      rect(324, 300, 560, 120, blend(wall, PAPER, 0.6)) + doors(150, 150),
      rect(318, 418, 572, 22, '#5F615B') + doors(440, 150),
      rect(514, 440, 178, 150, '#8C918C') +
        rect(530, 480, 146, 84, INK, 'rx="6"') +
        rect(530, 456, 146, 8, LINE),
      polygon(
        [
          [530, 150],
          [676, 150],
          [650, 240],
          [556, 240],
        ],
        '#A9ADA7',
      ) +
        rect(542, 404, 40, 10, INK) +
        rect(620, 404, 40, 10, INK),
      rect(240, 640, 620, 24, blend('#D8C09A', PAPER, 0.3)) +
        rect(270, 664, 560, 120, edge) +
        ellipse(400, 628, 40, 16, cloth),
    ].join('');
  },
  bedroom(cloth, _wall, random) {
    const x = random.integer(390, 470);
    const table = (at: number): string =>
      rect(at, 560, 80, 80, '#8A6A4A') +
      line(at + 40, 560, at + 40, 500, INK, 4) +
      polygon(
        [
          [at + 12, 500],
          [at + 68, 500],
          [at + 54, 456],
          [at + 26, 456],
        ],
        '#F3E3BE',
      );
    return [
      rect(x, 400, 420, 180, blend('#8A6A4A', cloth, 0.3), 'rx="14"'),
      rect(x + 10, 540, 400, 150, PAPER, 'rx="10"') +
        rect(x + 40, 500, 150, 60, '#FFFFFF', 'rx="20"') +
        rect(x + 230, 500, 150, 60, '#FFFFFF', 'rx="20"'),
      rect(x + 4, 600, 412, 120, cloth, 'rx="10"') + rect(x + 4, 600, 412, 24, blend(cloth, PAPER, 0.5)),
      table(x - 110) + table(x + 450) + drawPicture(x + 120, 220, random),
    ].join('');
  },
  bath(cloth, wall, random) {
    const tiles =
      Array.from({ length: 11 }, (_, i) =>
        line(i * 120, 330, i * 120, FLOOR - 18, blend(wall, INK, 0.1), 2),
      ).join('') +
      line(0, 420, WIDTH, 420, blend(wall, INK, 0.1), 2) +
      line(0, 500, WIDTH, 500, blend(wall, INK, 0.1), 2);
    const x = random.integer(420, 480);
    return [
      rect(0, 330, WIDTH, FLOOR - 348, blend(wall, cloth, 0.14)) + tiles,
      rect(x, 470, 380, 150, '#FFFFFF', 'rx="50"') +
        rect(x - 14, 462, 408, 26, PAPER, 'rx="12"') +
        rect(x + 330, 390, 12, 76, '#8C918C') +
        rect(x + 290, 390, 50, 12, '#8C918C'),
      rect(120, 470, 220, 24, PAPER) +
        rect(140, 494, 180, 140, '#A58668') +
        ellipse(230, 264, 84, 108, LINE) +
        ellipse(230, 264, 74, 98, '#E4EDF0'),
      ellipse(640, 720, 200, 34, cloth),
    ].join('');
  },
  dining(cloth, _wall, random) {
    const chair = (x: number): string =>
      rect(x, 470, 74, 110, cloth, 'rx="8"') +
      rect(x + 4, 580, 8, 110, '#5B4A42') +
      rect(x + 62, 580, 8, 110, '#5B4A42');
    const x = random.integer(320, 380);
    return [
      line(x + 270, 0, x + 270, 180, INK, 3) +
        polygon(
          [
            [x + 200, 240],
            [x + 340, 240],
            [x + 300, 180],
            [x + 240, 180],
          ],
          cloth,
        ),
      [60, 190, 320, 450].map((at) => chair(x + at - 30)).join(''),
      rect(x, 560, 560, 22, '#7A5C40') +
        rect(x + 30, 582, 16, 150, '#7A5C40') +
        rect(x + 514, 582, 16, 150, '#7A5C40'),
      ellipse(x + 280, 552, 60, 14, PAPER) + ellipse(x + 280, 540, 26, 18, ACCENT),
    ].join('');
  },
  hall(cloth, wall, random) {
    const lamps = [240, 600, 960].map((x) => rect(x - 70, 60, 140, 14, '#F8F2DC')).join('');
    const desks = [150, 520, 860]
      .map(
        (x) =>
          rect(x, 520, 220, 16, '#8A6A4A') +
          rect(x + 10, 536, 12, 100, '#5B4A42') +
          rect(x + 198, 536, 12, 100, '#5B4A42') +
          rect(x + 70, 450, 90, 62, INK, 'rx="4"'),
      )
      .join('');
    return (
      lamps +
      rect(0, 250, WIDTH, 10, blend(wall, INK, 0.15)) +
      desks +
      rect(random.integer(360, 420), 300, 60, 190, blend(cloth, PAPER, 0.3))
    );
  },
};

function drawPicture(x: number, y: number, random: Random): string {
  const hue = random.pick(CLOTHS);
  return (
    rect(x, y, 180, 130, INK) +
    rect(x + 8, y + 8, 164, 114, PAPER) +
    polygon(
      [
        [x + 20, y + 112],
        [x + 80, y + 40],
        [x + 160, y + 112],
      ],
      hue,
    ) +
    ellipse(x + 130, y + 46, 16, 16, '#E0B15A')
  );
}

function drawLamp(x: number, y: number): string {
  return (
    line(x, y, x, y - 240, INK, 6) +
    ellipse(x, y, 44, 10, INK) +
    polygon(
      [
        [x - 56, y - 230],
        [x + 56, y - 230],
        [x + 34, y - 310],
        [x - 34, y - 310],
      ],
      '#F3E3BE',
    )
  );
}
