// Names of areas on a map: where they fit without touching each other or a symbol, larger areas first.

import type { Outline } from './drawing.ts';

/** left, top, right, bottom in pixels of the drawing. */
export type PixelBox = readonly [number, number, number, number];

export interface PlacedName {
  readonly outline: Outline;
  readonly x: number;
  readonly y: number;
  readonly isMajor: boolean;
}

export interface NameCandidate {
  readonly outline: Outline;
  /** Its label point in the drawing. */
  readonly x: number;
  readonly y: number;
  /** Pixels from its western to its eastern end. */
  readonly across: number;
  readonly isMajor: boolean;
}

const MAJOR_SIZE = 16;
const MINOR_SIZE = 12;
/** Width of a letter by the size of the type, for faces wider than usual. */
const LETTER = 0.56;
/** Pixels that names keep from each other and from the edges. */
const GAP = 4;
const MOST = 60;

/** Chooses the names that are drawn. `taken` is what symbols and other things cover. A name moves above or below its point where that is free. */
export function placeNames(
  candidates: readonly NameCandidate[],
  taken: readonly PixelBox[],
  width: number,
  height: number,
  majorSize = MAJOR_SIZE,
): readonly PlacedName[] {
  const boxes = [...taken];
  const placed: PlacedName[] = [];
  const order = candidates.toSorted(
    (a, b) =>
      a.outline.level - b.outline.level || b.across - a.across || (a.outline.id < b.outline.id ? -1 : 1),
  );
  for (const { outline, x, y, across, isMajor } of order) {
    const size = isMajor ? majorSize : MINOR_SIZE;
    const half = (Array.from(outline.name).length * size * LETTER) / 2 + GAP;
    // A name much wider than its area would be read as that of its neighbour.
    if (half * 2 > across * (isMajor ? 2.5 : 1.35)) continue;
    const spot = [0, size * 1.6, size * 2, -size * 1.6, size * 2.6, -size * 2.6, size * 3.2].find((dy) => {
      const box: PixelBox = [x - half, y + dy - size * 0.9, x + half, y + dy + size * 0.45];
      return isWithin(box, width, height) && !boxes.some((other) => meet(box, other));
    });
    if (spot === undefined) continue;
    boxes.push([x - half, y + spot - size * 0.9, x + half, y + spot + size * 0.45]);
    placed.push({ outline, x: Math.round(x), y: Math.round(y + spot), isMajor });
    if (placed.length === MOST) break;
  }
  return placed;
}

const isWithin = ([left, top, right, bottom]: PixelBox, width: number, height: number): boolean =>
  left >= GAP && top >= GAP && right <= width - GAP && bottom <= height - GAP;

const meet = (a: PixelBox, b: PixelBox): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
