// Keys of place names and postal codes, by which searches compare them: case, accents and punctuation make no difference.

import { plainLetters } from './tokenize.ts';

const SILENT = /[\u0300-\u036f'’‘ʼ`′.]/g;
const BETWEEN_WORDS =
  /[\p{Cc}\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf×÷\u2000-\u206f\u3000-\u3003・]+/gu;

/** `St. Élan-sur-Mer` and `st elan sur mer` have one key. A name without letters and digits is its own. */
export const placeKey = (name: string): string => keyOf(name, ' ');

/** `H2X 1Y4` and `h2x1y4` have one key, and so have `20001-1234` and `200011234`. */
export const postalKey = (code: string): string => keyOf(code, '');

function keyOf(text: string, between: string): string {
  const letters = text.toLowerCase().normalize('NFKD').replace(SILENT, '').replace(BETWEEN_WORDS, between);
  return plainLetters(letters).trim() || text.trim().toLowerCase();
}

/** A postal code of the United States with the four digits of its delivery route, as a key. */
const ZIP_WITH_ROUTE = /^\d{9}$/;
const ZIP = /^\d{5}$/;

/** Whether a requested key is a ZIP code, which finds listings with the digits of a delivery route after it too. */
export const isZip = (key: string): boolean => ZIP.test(key);

/** The ZIP code of a listing's key that has a delivery route; null: it has none. */
export const zipOf = (key: string): string | null => (ZIP_WITH_ROUTE.test(key) ? key.slice(0, 5) : null);
