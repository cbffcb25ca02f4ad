// Windows and doors of drawn buildings.
import type { Random } from '../random.ts';
import { INK, PAPER, type Paint } from './palette.ts';
import { GROUND } from './setting.ts';
import { blend, ellipse, line, rect } from './svg.ts';

/** A building as drawn, and the span of ground it takes. */
export interface Drawn {
  readonly drawing: string;
  readonly left: number;
  readonly right: number;
  readonly door: number;
}

/** Where buildings stand across the picture, px. */
export const CENTRE = 600;

/** One window as a reusable drawing with its middle at the origin's top. */
export function windowStyle(width: number, height: number, paint: Paint, random: Random): string {
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

export function drawDoor(x: number, paint: Paint, wide = 46): string {
  return (
    rect(x - wide / 2 - 6, GROUND - 106, wide + 12, 106, paint.trim) +
    rect(x - wide / 2, GROUND - 100, wide, 100, paint.door) +
    ellipse(x + wide / 2 - 9, GROUND - 50, 3, 3, PAPER)
  );
}
