// Rules that would take values which a map rejects: translations, formats of numbers, patterns of dates.

import { nearest } from '../../lib/nearest.ts';
import DATE_PATTERNS from './date-patterns.json' with { type: 'json' };
import { readDate } from './dates.ts';
import { type Field, NUMBER_KINDS, Unreadable } from './fields.ts';
import WORDS from './meanings.json' with { type: 'json' };
import { NUMBER_FORMATS, readNumber } from './numbers.ts';

const { status, listingType, propertyType, boolean } = WORDS;

/** What files call the statuses and types, in lower case. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = { ...propertyType, ...listingType, ...status };

/** Patterns shown where several fit. */
const MAX_PATTERNS = 2;

/** The member of a rule that would take all these values; null where none is known. */
export function suggestRule(field: Field, values: readonly string[]): string | null {
  if (field.kind === 'choice') return suggestTranslation(field.choices ?? [], values[0] ?? '');
  if (field.kind === 'boolean') return suggestBoolean(values[0] ?? '');
  if (NUMBER_KINDS.includes(field.kind)) return suggestFormat(NUMBER_FORMATS, values, readNumber);
  if (!['date', 'time', 'timeOrDate'].includes(field.kind)) return null;
  if (values.every((value) => /^1\d{9}$/.test(value))) return '"format": "unix"';
  if (values.every((value) => /^1\d{12}$/.test(value))) return '"format": "unixMilliseconds"';
  return suggestFormat(DATE_PATTERNS, values, (value, format) => readDate(value, format, undefined));
}

function suggestTranslation(choices: readonly string[], value: string): string {
  const folded = value.toLowerCase();
  const meant =
    choices.find((choice) => MEANINGS[choice]?.includes(folded)) ?? nearest(value.toUpperCase(), choices);
  return `"values": {${JSON.stringify(value)}: ${JSON.stringify(meant ?? '…')}}`;
}

function suggestBoolean(value: string): string {
  const folded = value.toLowerCase();
  const meant = boolean.true.includes(folded)
    ? 'true'
    : boolean.false.includes(folded)
      ? 'false'
      : 'true or false';
  return `"values": {${JSON.stringify(value)}: ${meant}}`;
}

function suggestFormat(
  formats: readonly string[],
  values: readonly string[],
  read: (value: string, format: string) => unknown,
): string | null {
  const fitting = formats.filter((format) => values.every((value) => canRead(() => read(value, format))));
  if (fitting.length === 0) return null;
  return fitting
    .slice(0, MAX_PATTERNS)
    .map((format) => `"format": ${JSON.stringify(format)}`)
    .join(' or ');
}

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}
