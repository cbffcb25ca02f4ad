// Map of a home and the homes that it is compared with.

import type { Html } from '../../page/html.ts';
import type { Home } from './read-home.ts';

/** Null where nothing can be drawn. */
export function comparablesMap(_home: Home, _root: string): Html | null {
  return null;
}
