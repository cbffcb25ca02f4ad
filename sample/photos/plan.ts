// Floor plans: rooms sized by what they are, walls, doors and names.
import type { Home } from '../market/home.ts';
import type { Random } from '../random.ts';
import { INK, LAND, PAPER, QUIET, WATER } from './palette.ts';
import { line, rect } from './svg.ts';

interface Part {
  readonly name: string;
  /** Share of the floor relative to the others. */
  readonly weight: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A plan on a 900 by 900 sheet. */
export function drawPlan(home: Home, random: Random): string {
  const rooms = roomsOf(home);
  const ratio = random.between(0.68, 1);
  const box: Box = { x: 90, y: 90 + (1 - ratio) * 330, width: 720, height: 700 * ratio };
  const placed = share(rooms, box, random);
  const paper = rect(0, 0, 900, 900, PAPER);
  const floor = placed.map(({ part, at }) => drawPart(part, at)).join('');
  const outline = `<rect x="${box.x}" y="${Math.round(box.y)}" width="${box.width}" height="${Math.round(box.height)}" fill="none" stroke="${INK}" stroke-width="14"/>`;
  const entry = rect(box.x + 60, box.y + box.height - 9, 70, 18, PAPER);
  return paper + floor + outline + entry + drawScale(home.area);
}

function roomsOf(home: Home): Part[] {
  const bedrooms = Math.min(6, home.bedrooms ?? 1);
  const studio = bedrooms === 0;
  const parts: Part[] = [
    { name: studio ? 'Living and sleeping' : 'Living', weight: studio ? 5 : 3.4 },
    { name: 'Kitchen', weight: 1.7 },
  ];
  for (let i = 1; i <= bedrooms; i += 1) parts.push({ name: `Bedroom ${i}`, weight: i === 1 ? 2.1 : 1.5 });
  for (let i = 1; i <= Math.min(3, home.bathsFull ?? 1); i += 1) parts.push({ name: 'Bath', weight: 0.8 });
  if (home.bathsHalf) parts.push({ name: 'WC', weight: 0.5 });
  return parts;
}

/** Cuts the box in two, again and again, until each part has its share. */
function share(parts: readonly Part[], box: Box, random: Random): { part: Part; at: Box }[] {
  const [only] = parts;
  if (only && parts.length === 1) return [{ part: only, at: box }];
  const total = parts.reduce((sum, part) => sum + part.weight, 0);
  let cut = 1;
  let first = parts[0]?.weight ?? 0;
  while (cut < parts.length - 1 && first + (parts[cut]?.weight ?? 0) / 2 < total / 2) {
    first += parts[cut]?.weight ?? 0;
    cut += 1;
  }
  const portion = first / total;
  const [a, b] =
    box.width > box.height * random.between(0.85, 1.1) ? splitWide(box, portion) : splitHigh(box, portion);
  return [...share(parts.slice(0, cut), a, random), ...share(parts.slice(cut), b, random)];
}

function splitWide(box: Box, portion: number): [Box, Box] {
  const width = box.width * portion;
  return [
    { ...box, width },
    { ...box, x: box.x + width, width: box.width - width },
  ];
}

function splitHigh(box: Box, portion: number): [Box, Box] {
  const height = box.height * portion;
  return [
    { ...box, height },
    { ...box, y: box.y + height, height: box.height - height },
  ];
}

function drawPart({ name }: Part, { x, y, width, height }: Box): string {
  const wet = name === 'Bath' || name === 'WC' || name === 'Kitchen';
  const swing = Math.min(46, width / 3, height / 3);
  const size = width < 120 ? 17 : 22;
  return [
    rect(x, y, width, height, wet ? WATER : LAND, `stroke="${INK}" stroke-width="6"`),
    line(x + 16, y + height, x + 16 + swing, y + height, wet ? WATER : LAND, 8),
    `<path d="M${Math.round(x + 16)} ${Math.round(y + height)}v${-Math.round(swing)}a${Math.round(swing)} ${Math.round(swing)} 0 0 1 ${Math.round(swing)} ${Math.round(swing)}" fill="none" stroke="${QUIET}" stroke-width="2"/>`,
    `<text x="${Math.round(x + width / 2)}" y="${Math.round(y + height / 2 + 6)}" font-size="${size}" text-anchor="middle" fill="${INK}">${name}</text>`,
  ].join('');
}

function drawScale(area: number | null): string {
  const label =
    area === null
      ? ''
      : `<text x="810" y="858" font-size="22" text-anchor="end" fill="${QUIET}">${area.toLocaleString('en-US')} sq ft</text>`;
  return label;
}
