// Colours of the photos: the atlas's paper, land and water, and what goes with them.
import type { Random } from '../random.ts';
import { blend } from './svg.ts';

export const PAPER = '#FAF8F4';
export const INK = '#1D2320';
export const QUIET = '#56605A';
export const LINE = '#DDD8CC';
export const LAND = '#EEF0E4';
export const WATER = '#CFE0E6';
export const ACCENT = '#1F5F4A';
export const SALE = '#9A4A2F';
export const RENTAL = '#2F5F8A';

const WALLS = [
  '#E9DFCB',
  '#DCCBAE',
  '#C9B79C',
  '#B9745A',
  '#A65A3E',
  '#9FB0A6',
  '#B4C2BF',
  '#F2ECDF',
  '#8C9AA0',
  '#C7CDBB',
  '#D8B99A',
  '#7F8F84',
] as const;
const ROOFS = ['#5B4A42', '#6B3A2C', '#3F4A48', '#6F746D', '#2F3B45', '#8A5A3C', '#47584F'] as const;
const DOORS = [ACCENT, SALE, RENTAL, '#7F5200', INK, '#6B2F3A'] as const;

export interface Paint {
  readonly wall: string;
  readonly trim: string;
  readonly roof: string;
  readonly door: string;
  readonly glass: string;
}

export function drawPaint(random: Random): Paint {
  const wall = random.pick(WALLS);
  return {
    wall,
    trim: blend(wall, PAPER, 0.75),
    roof: random.pick(ROOFS),
    door: random.pick(DOORS),
    glass: blend(WATER, INK, random.between(0.3, 0.55)),
  };
}

/** Month 0 to 11 -> what leaves, lawns and skies look like. */
export interface Season {
  readonly leaf: string;
  readonly lawn: string;
  readonly skyTop: string;
  readonly skyLow: string;
}

const WINTER: Season = { leaf: '#8C8577', lawn: '#D5D6C6', skyTop: '#C3D0D6', skyLow: '#EFEDE6' };
const SPRING: Season = { leaf: '#9DB07A', lawn: '#C5D1A5', skyTop: '#B9D6E2', skyLow: '#F1F1E4' };
const SUMMER: Season = { leaf: '#5F7F55', lawn: '#AFC08C', skyTop: '#A4CCDE', skyLow: '#EEF3EC' };
const AUTUMN: Season = { leaf: '#B5713A', lawn: '#CDC596', skyTop: '#BFD2D8', skyLow: '#F5EADB' };

export function seasonOf(month: number): Season {
  if (month === 11 || month < 2) return WINTER;
  if (month < 5) return SPRING;
  return month < 8 ? SUMMER : AUTUMN;
}
