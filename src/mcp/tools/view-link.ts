// Views of the explorer that show people what a tool answered.

import { objectOf, rowsOf } from './listing-text.ts';
import type { Json } from './tool-row.ts';

/** Parameters of a search that change how it is answered, not which homes are found. */
const NOT_OF_VIEWS = new Set(['limit', 'cursor', 'count', 'fields', 'explain', 'units', 'include']);

/** Searches of watchers may hold objects, which no view has. */
const isPlain = (value: unknown): boolean =>
  value !== null && (Array.isArray(value) || ['string', 'number', 'boolean'].includes(typeof value));

/** The view of a search with the same filters, below the public URL. */
export const searchView =
  (kind: 'sale' | 'rental') =>
  (_answer: Json, query: Json): string => {
    const parameters = new URLSearchParams({ for: kind });
    for (const [name, value] of Object.entries(query))
      if (isPlain(value) && !NOT_OF_VIEWS.has(name))
        parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
    return `explore?${parameters.toString().replaceAll('%2C', ',')}`;
  };

/** The page of a listing, or of a property, which shows its current one; null without an id. */
export const homeView = (id: unknown): string | null =>
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

/** Spans of months that the market page offers. */
const SPANS = [12, 24, 60, 120];
const MONTHS_PER: Readonly<Record<string, number>> = { week: 0.25, quarter: 3, year: 12 };

/** The market page of the first of these areas beside the second; of the whole market without any. `months`: as many as it goes back. */
function marketView(areas: unknown, listingType: unknown, months = 0): string {
  const [areaId, withId] = rowsOf(areas).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const parameters = new URLSearchParams();
  if (areaId !== undefined) parameters.set('areaId', areaId);
  if (listingType === 'rental') parameters.set('for', 'rental');
  if (months > 24) parameters.set('months', String(SPANS.find((span) => span >= months) ?? SPANS.at(-1)));
  if (withId !== undefined) parameters.set('with', withId);
  const query = parameters.toString();
  return `explore/market${query === '' ? '' : `?${query}`}`;
}

/** The charts of the areas that figures are of. */
export function statsView({ scope }: Json, { interval, periods }: Json): string {
  const { areas, listingType } = objectOf(scope);
  const months = Number(periods ?? 0) * (MONTHS_PER[String(interval)] ?? 1);
  return marketView(areas, listingType, months);
}

/** The charts of the first two areas of a comparison. */
export function comparisonView({ areas, scope }: Json): string {
  return marketView(
    rowsOf(areas).map(({ areaId }) => ({ id: areaId })),
    objectOf(scope).listingType,
  );
}

/** What a watcher watches: the view of its search, the page of its home, the charts of its market. */
export function watcherView({ target }: Json): string | null {
  const { type, listingType, query, listingId, propertyId, areaId } = objectOf(target);
  if (type === 'market') return marketView([{ id: areaId }], listingType);
  if (type !== 'search') return homeView(listingId ?? propertyId);
  return searchView(listingType === 'rental' ? 'rental' : 'sale')({}, objectOf(query));
}
