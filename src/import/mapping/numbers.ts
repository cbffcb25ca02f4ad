// Number parsing: scientific notation, thousands separators of several countries, units and periods.

import { SQUARE_FEET_PER_SQUARE_METRE } from '../../listings/vocabulary.ts';
import { Unreadable } from './unreadable.ts';

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const CURRENCY = /^(?<sign>-?)(?:\p{Sc}|[A-Z]{3})?\s*(?<digits>[\d.,'\s]+?)\s*(?:\p{Sc}|[A-Z]{3})?$/u;

/** How numbers are written, named by how one thousand two hundred thirty-four and a half is. */
const WRITTEN: Readonly<Record<string, { readonly whole: RegExp; readonly thousands: RegExp }>> = {
  '1,234.5': { whole: /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/, thousands: /,/g },
  '1.234,5': { whole: /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$|^\d+(?:,\d+)?$/, thousands: /\./g },
  '1 234,5': { whole: /^\d{1,3}(?:\s\d{3})+(?:,\d+)?$|^\d+(?:,\d+)?$/, thousands: /\s/g },
  "1'234.5": { whole: /^\d{1,3}(?:'\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/, thousands: /'/g },
};

export const NUMBER_FORMATS = Object.keys(WRITTEN);

/** Square feet in one of each unit. One acre is 43,560 square feet. */
const SQUARE_FEET = { sqft: 1, sqm: SQUARE_FEET_PER_SQUARE_METRE, acres: 43_560 } as const;
export const UNITS = Object.keys(SQUARE_FEET);

/** Months in one of each period. */
const MONTHS = { month: 1, quarter: 3, year: 12, week: 12 / 52 } as const;
export const PERIODS = Object.keys(MONTHS);

/** A number from its text. Without a format only digits, a point and an exponent are understood: `1.2e+006`. */
export function readNumber(text: string, format: string | undefined): number {
  const value = PLAIN.test(text) ? Number(text) : format === undefined ? Number.NaN : written(text, format);
  if (Number.isFinite(value)) return value;
  throw new Unreadable(
    format === undefined
      ? 'is not a number such as 1234.5 (for thousands separators and currency signs give a "format" such as "1,234.5")'
      : `is not a number written like ${format}`,
  );
}

function written(text: string, format: string): number {
  const rules = WRITTEN[format];
  const { sign = '', digits = '' } = CURRENCY.exec(text)?.groups ?? {};
  if (!rules?.whole.test(digits)) return Number.NaN;
  return Number(sign + digits.replace(rules.thousands, '').replace(',', '.'));
}

/** Square feet, to two decimals when converted. */
export function toSquareFeet(value: number, unit: string | undefined): number {
  const factor = SQUARE_FEET[unit as keyof typeof SQUARE_FEET] ?? 1;
  return factor === 1 ? value : Math.round(value * factor * 100) / 100;
}

/** An amount a period as an amount a month, to the cent. */
export function perMonth(value: number, period: string | undefined): number {
  const months = MONTHS[period as keyof typeof MONTHS] ?? 1;
  return months === 1 ? value : Math.round((value / months) * 100) / 100;
}
