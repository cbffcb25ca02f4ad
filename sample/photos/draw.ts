// Owns the drawing of a photo from its scene.
import type { Listing } from '../market/listing.ts';
import { sceneOf } from './scenes.ts';

/** An SVG of the listing's photo; `width` overrides its drawn width, px. */
export function drawPhoto(listing: Listing, index: number, width: number | null): string {
  const scene = sceneOf(listing, index);
  const shown = width ?? scene.width;
  const height = Math.round((shown * scene.height) / scene.width);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${shown}" height="${height}" viewBox="0 0 ${scene.width} ${scene.height}"><rect width="100%" height="100%" fill="#EEF0E4"/><text x="40" y="760">${scene.caption}</text></svg>`;
}
