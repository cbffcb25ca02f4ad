// Map of a market whose homes are kept from the reader: its ground and its areas, and nothing that is offered there.

import { Problem } from '../lib/problem.ts';
import { cacheFor } from '../lib/single-flight.ts';
import type { Html } from '../page/html.ts';
import type { ExploreOptions } from './render.ts';
import { stateOf } from './view/state.ts';
import { readView } from './view/view.ts';
import { drawViewMap } from './view-map.ts';

/** Milliseconds: what is the same for everybody is drawn once for many. */
const LIFETIME = 10_000;

/** Views that the service reads for its own pages, and that no reader is charged for. */
const UNCOUNTED = { takeList: () => null, takePins: async () => null };

/** Null: there is nothing to draw. The function throws what views throw. */
export function createLockedMap(options: Omit<ExploreOptions, 'assets'>): () => Promise<Html | null> {
  const own = { ...options, explorer: UNCOUNTED };
  const parameters = new Map<string, string>();
  return cacheFor(LIFETIME, options.clock, async () => {
    // Prices in several currencies have no one view.
    const view = await readView(own, stateOf(parameters), options.visitor).catch((error: unknown) => {
      if (error instanceof Problem && error.status < 500) return null;
      throw error;
    });
    if (view === null) return null;
    const bare = { ...view, clusters: [], pins: [], stacks: [] };
    return drawViewMap(options.outlines, bare, {
      parameters,
      kind: 'sale',
      root: '',
      label: 'Map of the market, without its homes',
    });
  });
}
