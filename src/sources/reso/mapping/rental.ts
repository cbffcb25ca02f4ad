// Terms of a rental: lease, pets, furnishing, included costs and the cost of moving in.

import type { RentalTerms } from '../../../listings/draft.ts';
import type { FieldReader } from './decode.ts';
import { displayValue, fold, slug, spelled } from './enumerations.ts';

const NOTHING_SAID = new Set(['none', 'other', 'seeremarks', 'call']);

const pets = spelled<string>({
  'Cats OK': 'cats',
  'Dogs OK': 'dogs',
  'Birds OK': 'birds',
  'Breed Restrictions': 'breed_restrictions',
  'Number Limit': 'number_limit',
  'Size Limit': 'size_limit',
});

const leaseMonths = spelled<number>({ 'Month To Month': 1 });
const MONTHS = /^(\d{1,3})\s*months?$/i;

function monthsOf(term: string): number | null {
  const stated = MONTHS.exec(term)?.[1];
  return stated === undefined ? (leaseMonths(term) ?? null) : Number(stated);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function leaseTerms(record: FieldReader): string[] {
  const stated = [...record.list('LeaseTerm'), ...record.list('LeaseTermOptions')];
  return unique(stated.map((term) => displayValue('LeaseTerm', term))).filter(
    (term) => !NOTHING_SAID.has(fold(term)),
  );
}

/** True when any is allowed, false for an explicit no, null where the source refers to remarks or a call. */
function petsAllowed(record: FieldReader, stated: readonly string[]): boolean | null {
  const flag = record.flag('PetsAllowedYN');
  if (flag !== null) return flag;
  const words = stated.map(fold);
  if (words.includes('no')) return false;
  return words.includes('yes') || stated.some((word) => pets(word) !== undefined) ? true : null;
}

/** Null for sales. The dictionary has no fields for broker fees and concessions, so those stay unknown. */
export function rentalTerms(record: FieldReader): RentalTerms {
  const leaseTerm = leaseTerms(record);
  const statedPets = record.list('PetsAllowed');
  const furnished = record.text('Furnished');
  const rentControl = record.flag('RentControlYN');
  const included = record.list('RentIncludes').filter((value) => !NOTHING_SAID.has(fold(value)));
  return {
    availableFrom: record.date('AvailabilityDate'),
    leaseTerm,
    leaseTermMonths: leaseTerm.map(monthsOf).find((months) => months !== null) ?? null,
    furnished: furnished === null ? null : displayValue('Furnished', furnished),
    pets: unique(statedPets.flatMap((word) => pets(word) ?? [])).sort(),
    petsAllowed: petsAllowed(record, statedPets),
    utilitiesIncluded: unique(included.map(slug).filter((value) => value !== '')).sort(),
    moveInCosts: unique(record.list('MoveInCosts').map((cost) => displayValue('MoveInCosts', cost))).map(
      (type) => ({
        type,
        amount: null,
      }),
    ),
    noFee: null,
    monthsFree: null,
    netEffectivePrice: null,
    ...(rentControl !== null && { rentControl }),
  };
}
