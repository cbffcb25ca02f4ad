// Outlines of areas for the ground of the live map, from the service's own store.

import type { Outline } from '../../../page/map/drawing.ts';
import { serviceUrl } from '../explorer.ts';
import { getJson } from '../requests.ts';
import type { Ground } from './live-map.ts';

/** Without them the map is empty paper, and its homes stand where they are. */
export async function fetchGround(): Promise<Omit<Ground, 'base'>> {
  const { signal } = new AbortController();
  return await getJson<Omit<Ground, 'base'>>(serviceUrl('explore/outlines'), signal).catch(() => {
    const outlines: readonly Outline[] = [];
    return { outlines, ground: 'paper' as const };
  });
}
