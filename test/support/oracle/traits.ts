// Filters on a home's traits, on its listing's changes and on its origin, as plain functions of the facts.

import fc from 'fast-check';
import { DAY, type Facts, NOW } from '../catalogue/random-market.ts';
import { daysOnMarket, priceChangedAt, priceMove, priceOf } from './facts.ts';
import {
  asRange,
  bound,
  type Filter,
  flag,
  listOf,
  moment,
  type Query,
  shorthand,
  words,
} from './filters.ts';

const days: Filter = {
  parameters: ['minDaysOnMarket', 'maxDaysOnMarket'],
  values: fc
    .tuple(fc.constantFrom(0, 1, 7), fc.constantFrom(7, 29, 31, 200), fc.constantFrom('both', 'min', 'max'))
    .map(([least, most, which]) => ({
      ...(which !== 'max' && { minDaysOnMarket: String(least) }),
      ...(which !== 'min' && { maxDaysOnMarket: String(most) }),
    })),
  meets(row, { minDaysOnMarket: least, maxDaysOnMarket: most }, now) {
    const value = daysOnMarket(row, now);
    if (value === null) return false;
    return (least === undefined || value >= Number(least)) && (most === undefined || value <= Number(most));
  },
};

const features: Filter = {
  parameters: ['features', 'featuresOperator'],
  values: fc
    .tuple(
      listOf('gym', 'POOL', 'elevator'),
      fc.constantFrom({}, { featuresOperator: 'AND' }, { featuresOperator: 'or' }),
    )
    .map(([list, operator]) => ({ features: list, ...operator })),
  meets({ facts }, query) {
    const has = (word: string) => facts.features.includes(word.toLowerCase());
    const features = (query.features ?? '').split(',');
    return query.featuresOperator === 'or' ? features.some(has) : features.every(has);
  },
};

const houses: Filter = {
  parameters: ['openHouseFrom', 'openHouseTo'],
  values: fc.oneof(
    fc.constantFrom('2026-01-05', '2026-01-06T14:00:00Z', 'P1D').map((openHouseFrom) => ({ openHouseFrom })),
    fc.constantFrom('2026-01-05', '2026-01-06T12:00:00Z', 'P3D').map((openHouseTo) => ({ openHouseTo })),
    fc.constant({ openHouseFrom: '2026-01-06T13:00:00Z', openHouseTo: '2026-01-07' }),
  ),
  meets({ facts }, { openHouseFrom: from, openHouseTo: to }, now) {
    return facts.houses.some(({ at, hours, off }) => {
      const starts = NOW - at * DAY;
      const ends = starts + (hours ?? 0) * 3_600_000;
      if (off || (from !== undefined && ends < moment(from, now))) return false;
      return to === undefined || starts < moment(to, now);
    });
  },
};

const changedSince: Filter = {
  parameters: ['priceChangedSince'],
  values: fc.constantFrom('P7D', 'P1D', '2025-12-01').map((priceChangedSince) => ({ priceChangedSince })),
  meets(row, { priceChangedSince = '' }, now) {
    const at = priceChangedAt(row);
    return at !== null && at >= moment(priceChangedSince, now);
  },
};

const changed: Filter = {
  parameters: ['priceChanged'],
  values: fc.constantFrom('decrease', 'INCREASE').map((priceChanged) => ({ priceChanged })),
  meets({ facts }, { priceChanged }) {
    const move = priceMove(facts);
    return move !== null && move.amount < 0 === (priceChanged === 'decrease');
  },
};

const provider = (query: Query) => (query.providerId ?? '').split(',').includes('test');

export const TRAIT_FILTERS: readonly Filter[] = [
  words('propertySubType', 'cabin', 'DUPLEX'),
  bound('minParking', [0, 1, 2], ({ facts }) => facts.parkingSpaces),
  bound('minGarage', [0, 1], ({ facts }) => facts.garageSpaces),
  bound('minStories', [1, 2], ({ facts }) => facts.stories),
  bound('minFloor', [0, 1, 11], ({ facts }) => facts.floor),
  features,
  flag('newConstruction', (facts) => facts.newConstruction),
  flag('waterfront', (facts) => facts.waterfront),
  flag('hasVirtualTour', (facts) => facts.tour && facts.addressDisplayed),
  flag('hasPrice', (facts) => priceOf(facts) !== null),
  flag('hasLivingArea', (facts) => facts.livingArea !== null),
  days,
  shorthand('daysOld', ['*:30', '1:31', '7'], days, asRange('DaysOnMarket')),
  changed,
  changedSince,
  bound('minPriceDropPercent', [0, 10, 99.9], ({ facts }) => {
    const move = priceMove(facts);
    return move === null || move.amount > 0 ? null : -move.percent;
  }),
  houses,
  { ...ids('agentId', 'A1', 'B-2'), meets: ({ facts }, { agentId = '' }) => has(agentId, facts.agent) },
  { ...ids('officeId', 'O1', 'O2'), meets: ({ facts }, { officeId = '' }) => has(officeId, facts.office) },
  { ...ids('providerId', 'test', 'Test'), meets: (_row, query) => provider(query) },
  words('mlsNumber', 'ml-1', '2002'),
];

/** Ids are compared as they are. */
function ids(name: string, ...values: string[]): Pick<Filter, 'parameters' | 'values'> {
  return { parameters: [name], values: listOf(...values).map((list) => ({ [name]: list })) };
}
const has = (list: string, id: Facts['agent']): boolean => id !== null && list.split(',').includes(id);
