// Countries: by a place, their currency, and what their files usually mean.

import lookUpZone from '@photostructure/tz-lookup';
import CURRENCIES from './countries.json' with { type: 'json' };

export interface Point {
  readonly lat: number;
  readonly lng: number;
}

let countries: ReadonlyMap<string, string> | undefined;

/** Countries by the time zones that they have. */
function countryOfZone(zone: string): string | null {
  countries ??= new Map(
    Object.keys(CURRENCIES).flatMap((country) =>
      (new Intl.Locale(`und-${country}`).getTimeZones() ?? []).map((name) => [name, country] as const),
    ),
  );
  return countries.get(zone) ?? null;
}

/** The time zone of a place; null at sea, where only the longitude decides. */
export function zoneOf({ lat, lng }: Point): string | null {
  if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180)) return null;
  const zone = lookUpZone(lat, lng);
  return zone.startsWith('Etc/') ? null : zone;
}

export function countryOf(point: Point): string | null {
  const zone = zoneOf(point);
  return zone === null ? null : countryOfZone(zone);
}

/** The currency of a country by its code; null for one that is not in the list. */
export const currencyOf = (country: string): string | null =>
  (CURRENCIES as Readonly<Record<string, string>>)[country] ?? null;

/** What usually stands in a file of this country where it names no unit. */
export const areaUnitOfCountry = (country: string | null): 'sqft' | 'sqm' =>
  ['US', 'GB', 'CA', 'IN', 'AE', 'HK', 'SG', 'IE', 'PR'].includes(country ?? '') ? 'sqft' : 'sqm';

/** Whether 03/04 is the fourth of March there. */
export const isMonthFirst = (country: string | null): boolean => ['US', 'PR', 'PH'].includes(country ?? '');

let namesOfCountries: ReadonlyMap<string, string> | undefined;

/** The code of a country by its code or its name in one of several languages; null for another text. */
export function countryNamed(text: string): string | null {
  if (/^[A-Z]{2}$/i.test(text.trim()) && text.toUpperCase() in CURRENCIES) return text.trim().toUpperCase();
  namesOfCountries ??= new Map([
    ...['en', 'de', 'fr', 'es'].flatMap((language) => {
      const names = new Intl.DisplayNames(language, { type: 'region' });
      return Object.keys(CURRENCIES).map((code) => [(names.of(code) ?? code).toLowerCase(), code] as const);
    }),
    ['usa', 'US'],
    ['united states of america', 'US'],
    ['uk', 'GB'],
    ['england', 'GB'],
    ['scotland', 'GB'],
    ['wales', 'GB'],
    ['deu', 'DE'],
    ['esp', 'ES'],
    ['fra', 'FR'],
    ['gbr', 'GB'],
  ]);
  return namesOfCountries.get(text.trim().toLowerCase()) ?? null;
}

/** States of the United States by the first three digits of their ZIP codes, as ranges. */
const ZIP_RANGES =
  'CT 060-069 MA 010-027 RI 028-029 NH 030-038 ME 039-049 VT 050-059 NJ 070-089 NY 100-149 PA 150-196 DE 197-199 DC 200-205 MD 206-219 VA 220-246 WV 247-268 NC 270-289 SC 290-299 GA 300-319 FL 320-349 AL 350-369 TN 370-385 MS 386-397 GA 398-399 KY 400-427 OH 430-459 IN 460-479 MI 480-499 IA 500-528 WI 530-549 MN 550-567 SD 570-577 ND 580-588 MT 590-599 IL 600-629 MO 630-658 KS 660-679 NE 680-693 LA 700-714 AR 716-729 OK 730-749 TX 750-799 CO 800-816 WY 820-831 ID 832-838 UT 840-847 AZ 850-865 NM 870-884 NV 889-898 CA 900-961 HI 967-968 OR 970-979 WA 980-994 AK 995-999';

/** The state of a ZIP code; null for another text. */
export function stateOfZip(text: string): string | null {
  const prefix = /^(\d{3})\d{2}(?:-\d{4})?$/.exec(text.trim())?.[1];
  if (prefix === undefined) return null;
  const words = ZIP_RANGES.split(' ');
  for (let at = 0; at < words.length; at += 2) {
    const [from = '', to = ''] = (words[at + 1] ?? '').split('-');
    if (prefix >= from && prefix <= to) return words[at] ?? null;
  }
  return null;
}
