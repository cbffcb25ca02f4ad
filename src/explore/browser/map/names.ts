// Names of areas on the live map: by the rules of the drawing, where neither a symbol nor another part of the page covers them.

import type { Outline } from '../../../page/map/drawing.ts';
import { nameCandidates } from '../../../page/map/land.ts';
import { type MapView, unproject } from '../../../page/map/mercator.ts';
import { type PixelBox, placeNames } from '../../../page/map/names.ts';
import { coveredBy, type MapSymbols } from '../../../page/map/symbols.ts';
import type { DrawnName } from './map-style.ts';

/** Names stand on their line in drawings, and around their middle on the live map: the distance by the size of the type. */
const MIDDLE = 0.3;

/** What there is to place names by: `over` is what lies over the map, in its pixels. */
export interface NameGround {
  readonly outlines: readonly Outline[];
  readonly symbols: MapSymbols;
  readonly over: readonly PixelBox[];
}

/** Places the names of a view in degrees. */
export function freeNames({ outlines, symbols, over }: NameGround, view: MapView): DrawnName[] {
  const taken = [...coveredBy(symbols, view), ...over];
  const names = placeNames(nameCandidates(outlines, view), taken, view.width, view.height);
  return names.map(({ outline, x, y, isMajor }) => {
    const middle = y - (isMajor ? 16 : 12) * MIDDLE;
    return {
      name: outline.name,
      at: unproject(view.left + x, view.top + middle, view.zoom),
      isMajor,
    };
  });
}
