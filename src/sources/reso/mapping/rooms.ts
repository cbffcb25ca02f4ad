// Size of a home: bathrooms, areas and the lot, in square feet.

import { SQUARE_FEET_PER_SQUARE_METRE } from '../../../listings/vocabulary.ts';
import type { FieldReader } from './decode.ts';
import { spelled } from './enumerations.ts';

const SQUARE_FEET_PER_ACRE = 43_560;

const squareFeet = spelled<number>({
  'Square Feet': 1,
  'Square Meters': SQUARE_FEET_PER_SQUARE_METRE,
  Acres: SQUARE_FEET_PER_ACRE,
});

/** To a hundredth: more digits would be the conversion's, not the surveyor's. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * Full 1, three-quarter 0.75, half 0.5, quarter 0.25. The dictionary's total counts a half bath as a whole one, so it
 * only stands in where the parts are missing; one vendor's decimal total comes before it.
 */
export function bathrooms(record: FieldReader): number | null {
  const full = record.count('BathroomsFull');
  const total = record.amount('BathroomsTotalDecimal') ?? record.count('BathroomsTotalInteger');
  const parts =
    0.75 * (record.count('BathroomsThreeQuarter') ?? 0) +
    0.5 * (record.count('BathroomsHalf') ?? 0) +
    0.25 * (record.count('BathroomsOneQuarter') ?? 0);
  if (full !== null) return full + parts;
  return total ?? (parts > 0 ? parts : null);
}

/** Square feet; without a unit the dictionary's square feet are meant. Zero means nobody measured. */
export function livingArea(record: FieldReader): number | null {
  const area = record.amount('LivingArea');
  const unit = record.text('LivingAreaUnits');
  const factor = unit === null ? 1 : squareFeet(unit);
  if (factor === undefined) return record.unreadable('LivingAreaUnits');
  return area === null || area === 0 ? null : rounded(area * factor);
}

/** Square feet, from whichever of the dictionary's three forms is there. */
export function lotSize(record: FieldReader): number | null {
  const stated = record.amount('LotSizeSquareFeet');
  if (stated !== null && stated > 0) return stated;
  const area = record.amount('LotSizeArea');
  const unit = record.text('LotSizeUnits');
  const factor = squareFeet(unit);
  if (unit !== null && factor === undefined) record.unreadable('LotSizeUnits');
  if (area !== null && area > 0 && factor !== undefined) return rounded(area * factor);
  const acres = record.amount('LotSizeAcres');
  return acres === null || acres === 0 ? null : rounded(acres * SQUARE_FEET_PER_ACRE);
}
