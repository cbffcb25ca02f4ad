// Settings of the geocoder that looks up addresses of listings without coordinates.

import type { SettingsReader } from '../lib/settings.ts';

export const DIALECTS = ['nominatim', 'photon', 'pelias'] as const;
export type Dialect = (typeof DIALECTS)[number];

export interface GeocoderSettings {
  /** May carry a key in its query: it is never logged. */
  readonly url: string;
  readonly dialect: Dialect;
  /** Requests a second. */
  readonly rate: number;
}

/** What the rules of public servers allow. */
const DEFAULT_RATES: Readonly<Record<Dialect, number>> = { nominatim: 1, photon: 5, pelias: 5 };
const FORMS: Readonly<Record<Dialect, RegExp>> = {
  nominatim: /nominatim|\/search\/?$/i,
  photon: /photon|\/api\/?$/i,
  pelias: /pelias|geocode\.earth|\/v1(?:\/search)?\/?$/i,
};

/** Null: no geocoder is set. Faults are the reader's. */
export function readGeocoderSettings(read: SettingsReader): GeocoderSettings | null {
  const text = read.text('GEOCODER_URL');
  const stated = read.text('GEOCODER_DIALECT');
  const rate = read.integer('GEOCODER_RATE', 0, 1, 1_000) || null;
  if (text === null) {
    if (stated !== null || rate !== null)
      read.faults.push('GEOCODER_DIALECT and GEOCODER_RATE need GEOCODER_URL');
    return null;
  }
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    read.faults.push(
      'GEOCODER_URL must be an http or https address without a user, such as https://nominatim.example',
    );
    return null;
  }
  if (stated !== null && !isDialect(stated)) {
    read.faults.push(`GEOCODER_DIALECT must be one of ${DIALECTS.join(', ')}`);
    return null;
  }
  // The longest form says the most: a server of Pelias also has a path that ends in /search.
  const known = (['pelias', 'photon', 'nominatim'] as const).find((each) =>
    FORMS[each].test(`${url.hostname}${url.pathname}`),
  );
  const dialect = stated ?? known ?? null;
  if (dialect === null) {
    read.faults.push(
      `GEOCODER_URL does not show which server it is: set GEOCODER_DIALECT to one of ${DIALECTS.join(', ')}`,
    );
    return null;
  }
  return { url: text, dialect, rate: rate ?? DEFAULT_RATES[dialect] };
}

const isDialect = (text: string): text is Dialect => (DIALECTS as readonly string[]).includes(text);
