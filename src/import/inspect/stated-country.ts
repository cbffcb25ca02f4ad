// Country of a file by its columns: their names, their language, forms of codes, and currencies.

import { languagesOf, scoreName } from './column-names.ts';
import type { ColumnSummary } from './column-summary.ts';
import { countryNamed } from './countries.ts';
import { currencyIn } from './readers.ts';
import { textsOf } from './reading.ts';

/** The country that columns name, or that forms and signs are of. */
export function statedCountry(columns: readonly ColumnSummary[]): string | null {
  const named = (field: string): ColumnSummary | undefined =>
    columns.find((column) => (scoreName(column.name).get(field) ?? 0) >= 0.8 && column.filled > 0);
  const mostly = (column: ColumnSummary | undefined, test: (text: string) => boolean): boolean => {
    const texts = column === undefined ? [] : textsOf(column);
    return texts.length > 0 && texts.filter(test).length > 0.6 * texts.length;
  };
  const countries = new Set(
    textsOf(named('address.country') ?? EMPTY).flatMap((text) => countryNamed(text) ?? []),
  );
  if (countries.size === 1) return [...countries][0] ?? null;
  if (mostly(named('address.postalCode'), (text) => /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/i.test(text)))
    return 'GB';
  if (mostly(named('address.full'), (text) => /[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$/.test(text))) return 'GB';
  if (mostly(named('address.full'), (text) => /\b[A-Z]{2} \d{5}\b/.test(text))) return 'US';
  const isUs = mostly(named('address.state'), (text) =>
    / (?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]) /.test(
      ` ${text} `,
    ),
  );
  const currencies = new Set(columns.map(currencyIn).filter((code) => code !== null));
  if (isUs && !currencies.has('EUR')) return 'US';
  const [language] = [...languagesOf(columns.map(({ name }) => name))].sort(([, a], [, b]) => b - a)[0] ?? [];
  if (language === 'de') return 'DE';
  if (language === 'fr') return 'FR';
  if (language === 'es') return currencies.has('EUR') || !currencies.has('$') ? 'ES' : 'MX';
  if (currencies.has('GBP')) return 'GB';
  const isZip = columns.some(({ name }) => /zip/i.test(name));
  return isZip || currencies.has('USD') || currencies.has('$') ? 'US' : null;
}

const EMPTY: ColumnSummary = {
  name: '',
  rows: 0,
  filled: 0,
  values: null,
  representatives: [],
  examples: [],
  seemsUnique: false,
  length: 0,
};
