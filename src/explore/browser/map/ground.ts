// Outlines of areas for the ground of the live map, from the service's own store.

import type { Outline } from '../../../page/map/drawing.ts';
import { serviceUrl } from '../explorer.ts';
import { getJson } from '../requests.ts';
import type { Ground } from './live-map.ts';

/**
 * A service that is away or starting is asked once more as soon as it has answered for something else. Without outlines the map
 * is empty paper, and its homes stand where they are.
 */
export async function fetchGround(untilAnswered: Promise<unknown>): Promise<Omit<Ground, 'base'>> {
  const { signal } = new AbortController();
  const load = () => getJson<Omit<Ground, 'base'>>(serviceUrl('explore/outlines'), signal);
  return load()
    .catch(() => untilAnswered.then(load))
    .catch(() => {
      const outlines: readonly Outline[] = [];
      return { outlines, ground: 'paper' as const };
    });
}
