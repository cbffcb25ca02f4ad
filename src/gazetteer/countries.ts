// Countries by their codes, and by their names in six languages.

import { placeKey } from '../text/place-key.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt'];

/** Further names, and codes of three letters. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  usa: 'US',
  us: 'US',
  'united states of america': 'US',
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'great britain': 'GB',
  holland: 'NL',
  can: 'CA',
  gbr: 'GB',
  deu: 'DE',
  fra: 'FR',
  esp: 'ES',
  ita: 'IT',
  prt: 'PT',
  mex: 'MX',
  bra: 'BR',
  aus: 'AU',
  nzl: 'NZ',
  aut: 'AT',
  che: 'CH',
  nld: 'NL',
  bel: 'BE',
  irl: 'IE',
};

let names: ReadonlyMap<string, string> | undefined;

/** The ISO 3166-1 code of a country by its code or name; null for another text. */
export function countryCode(text: string, codes: ReadonlySet<string>): string | null {
  const code = text.trim().toUpperCase();
  if (codes.has(code)) return code;
  names ??= new Map([
    ...LANGUAGES.flatMap((language) => {
      const shown = new Intl.DisplayNames(language, { type: 'region' });
      return [...codes].map((each) => [placeKey(shown.of(each) ?? each), each] as const);
    }),
    ...Object.entries(OTHER_NAMES),
  ]);
  return names.get(placeKey(text)) ?? null;
}
