// Filters on the terms of rentals and on the costs of sales, as plain functions of the facts.

import fc from 'fast-check';
import type { Facts } from '../catalogue/random-market.ts';
import { anyIn, bound, type Filter, flag, listOf, rounded, words } from './filters.ts';

const rentalOnly = true;
const saleOnly = true;

/** All of it, if all of it is known. */
function moveInCost({ moveInCosts }: Facts): number | null {
  let sum = 0;
  for (const amount of moveInCosts) {
    if (amount === null) return null;
    sum += amount;
  }
  return moveInCosts.length > 0 ? sum : null;
}

function monthlyCost({ associationFee, tax }: Facts): number | null {
  return associationFee === null && tax === null ? null : rounded((associationFee ?? 0) + (tax ?? 0));
}

const available: Filter = {
  rentalOnly,
  parameters: ['availableFrom', 'availableBy'],
  values: fc.oneof(
    fc.constantFrom('2026-01-02', '2026-02-01').map((availableFrom) => ({ availableFrom })),
    fc.constantFrom('2026-01-01', '2026-02-28').map((availableBy) => ({ availableBy })),
    fc.constant({ availableFrom: '2026-02-01', availableBy: '2026-02-01' }),
  ),
  meets({ facts }, { availableFrom: from = '', availableBy: by = '9' }) {
    const day = facts.availableFrom;
    return day !== null && day >= from && day <= by;
  },
};

const RENTAL_FILTERS: readonly Filter[] = [
  available,
  {
    rentalOnly,
    parameters: ['leaseTermMonths'],
    values: listOf('6', '12').map((leaseTermMonths) => ({ leaseTermMonths })),
    meets: ({ facts }, { leaseTermMonths = '' }) =>
      leaseTermMonths.split(',').includes(String(facts.leaseTermMonths)),
  },
  bound('minLeaseTermMonths', [7, 12], ({ facts }) => facts.leaseTermMonths, { rentalOnly }),
  { ...words('furnished', 'furnished', 'PARTIALLY'), rentalOnly },
  anyIn('pets', ['Cats', 'dogs'], (facts) => facts.pets, { rentalOnly }),
  anyIn('utilitiesIncluded', ['water', 'INTERNET', 'gas'], (facts) => facts.utilities, { rentalOnly }),
  flag('noFee', (facts) => facts.noFee, rentalOnly),
  flag('rentControl', (facts) => facts.rentControl, rentalOnly),
  flag('hasConcession', (facts) => (facts.monthsFree ?? 0) > 0, rentalOnly),
  bound('maxMoveInCost', [0, 500, 2_000.5], ({ facts }) => moveInCost(facts), { rentalOnly }),
  bound('maxNetEffectivePrice', [1_100, 2_100.4], ({ facts }) => facts.netEffectivePrice, { rentalOnly }),
];

const SALE_FILTERS: readonly Filter[] = [
  anyIn('saleCondition', ['short sale', 'AUCTION'], (facts) => facts.conditions, { saleOnly }),
  bound('maxMonthlyCost', [0, 150.5, 300], ({ facts }) => monthlyCost(facts), { saleOnly }),
  bound('maxAssociationFee', [0, 50.5], ({ facts }) => facts.associationFee, { saleOnly }),
  bound('maxTax', [0, 99.9, 100], ({ facts }) => facts.tax, { saleOnly }),
  {
    saleOnly,
    parameters: ['underContract'],
    values: fc.constant({ underContract: 'exclude' }),
    meets: ({ facts }) => facts.status !== 'ACTIVE_UNDER_CONTRACT' && facts.status !== 'PENDING',
  },
];

export const TERM_FILTERS: readonly Filter[] = [...RENTAL_FILTERS, ...SALE_FILTERS];
