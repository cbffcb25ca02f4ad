// Corners of a drawn area, as a view's URL has them: `lng,lat;lng,lat;…`.

import type { Corner } from './map-style.ts';

/** About a metre. */
const DECIMALS = 5;

export const polygonOf = (corners: readonly Corner[]): string =>
  corners.map(([lng, lat]) => `${lng.toFixed(DECIMALS)},${lat.toFixed(DECIMALS)}`).join(';');

/** Empty for none, and for areas of several parts, which are searched and not drawn. */
export function cornersOf(polygon: string | undefined): readonly Corner[] {
  const corners = (polygon ?? '').split(';').map((corner) => corner.split(',').map(Number));
  return corners.every((corner) => corner.length === 2 && corner.every(Number.isFinite))
    ? corners.map(([lng = 0, lat = 0]): Corner => [lng, lat])
    : [];
}
