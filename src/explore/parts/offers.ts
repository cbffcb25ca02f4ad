// Changes of a view that are offered: further filters as chips, and the ways out of a view without homes.

import type { CountedChange, ParameterChanges } from '../view/filter-counts.ts';
import type { Parameters } from '../view/parameters.ts';
import type { ActiveFilter } from './filters.ts';
import { isOfSold } from './filters.ts';

export type Change = Omit<CountedChange, 'count'>;

const OFFERS: readonly Change[] = [
  { label: 'Price drop', changes: { priceChanged: 'decrease' } },
  { label: 'New this week', changes: { listedSince: 'P7D' } },
  { label: 'On the water', changes: { waterfront: 'true' } },
];

const OF_SOLD: readonly Change[] = [
  { label: 'In the last month', changes: { closedSince: 'P1M' } },
  { label: 'In a year', changes: { closedSince: 'P12M' } },
  { label: 'On the water', changes: { waterfront: 'true' } },
];

/** Filters to offer: those that are not in force. */
export function offersFor(parameters: Parameters): readonly Change[] {
  return (isOfSold(parameters) ? OF_SOLD : OFFERS).filter(({ changes }) =>
    Object.entries(changes).every(([name, value]) =>
      name === 'closedSince' ? parameters.get(name) !== value : !parameters.has(name),
    ),
  );
}

const removing = (names: readonly string[]): ParameterChanges =>
  Object.fromEntries(names.map((name) => [name, null]));

/** Changes that may lead from a view without homes to some, the one to offer first at the end. */
export function waysOut(parameters: Parameters, filters: readonly ActiveFilter[]): readonly Change[] {
  const beds = Number(parameters.get('minBedrooms'));
  const fewer: readonly Change[] =
    beds > 1 ? [{ label: `${beds - 1}+ beds`, changes: { minBedrooms: String(beds - 1) } }] : [];
  const without = filters
    .filter(({ id }) => id !== 'polygon' && (id !== 'beds' || fewer.length === 0))
    .map(({ words, parameters: names }) => ({ label: `Without ${words}`, changes: removing(names) }));
  const places = ['areaId', 'bbox', 'zoom', 'polygon'].filter((name) => parameters.has(name));
  const wider: readonly Change[] =
    places.length === 0 ? [] : [{ label: 'Widen the map', changes: removing(places) }];
  const all: readonly Change[] =
    filters.length < 2
      ? []
      : [
          {
            label: 'Remove all filters',
            changes: removing(filters.flatMap(({ parameters: names }) => names)),
          },
        ];
  return [...all, ...without, ...fewer, ...wider];
}

/** The ways that lead somewhere, at most three: widening the map at the end. */
export function nearestWays(ways: readonly CountedChange[]): readonly CountedChange[] {
  return ways.filter(({ count }) => count > 0).slice(-3);
}
