// Views of the explorer that show on a map what a tool answered.

import { objectOf, rowsOf } from './listing-text.ts';
import type { Json } from './tool-row.ts';

/** Parameters of a search that change how it is answered, not which homes are found. */
const NOT_OF_VIEWS = new Set(['limit', 'cursor', 'count', 'fields', 'explain', 'units', 'include']);

/** The view of a search with the same filters, below the public URL. */
export const searchView =
  (kind: 'sale' | 'rental') =>
  (_answer: Json, query: Json): string => {
    const parameters = new URLSearchParams({ for: kind });
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null && !NOT_OF_VIEWS.has(name))
        parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
    return `explore?${parameters.toString().replaceAll('%2C', ',')}`;
  };

/** The page of one home; null without the id of a listing. */
export const listingView = ({ id }: Json): string | null =>
  typeof id === 'string' ? `explore/listing/${encodeURIComponent(id)}` : null;

/** The map of some areas; null without any, or with more than a map is read for. */
export function areasView(areas: unknown): string | null {
  const ids = rowsOf(areas).flatMap(({ id, areaId }) => {
    const known = id ?? areaId;
    return typeof known === 'string' ? [known] : [];
  });
  return ids.length === 0 || ids.length > 10
    ? null
    : `explore?areaId=${ids.map((id) => encodeURIComponent(id)).join(',')}`;
}

export const scopeView = ({ scope }: Json): string | null => areasView(objectOf(scope).areas);
