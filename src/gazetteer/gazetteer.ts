// Gazetteer: towns of the world and postal codes of North America with their middles, from packages.

import { distanceKm, type Point } from '../geometry/geometry.ts';
import { eventLoop } from '../lib/scheduler.ts';
import { placeKey, postalKey } from '../text/place-key.ts';
import { type AddressNames, namesInAddress } from './address-names.ts';
import { countryCode } from './countries.ts';
import OTHER_NAMES from './other-names.json' with { type: 'json' };
import { readPostalCodes, readRegions, readTowns } from './package-files.ts';
import REGION_CODES from './regions.json' with { type: 'json' };

/** Where an address lies by its postal code or, less closely, by its town. */
export interface GazetteerPlace extends Point {
  readonly by: 'postal_code' | 'town';
}

/** Kilometres between places of one name that count as one. */
const SAME_TOWN_KM = 25;

interface Town extends Point {
  readonly country: string;
  readonly region: string;
  /** GeoNames' code of the part of the region, such as that of an Italian province. */
  readonly part: string;
}

interface PostalArea extends Point {
  readonly country: 'US' | 'CA';
  /** As the package writes it: a code in the United States, a name in Canada. */
  readonly state: string;
}

export class Gazetteer {
  readonly #towns = new Map<string, Town[]>();
  readonly #postalCodes = new Map<string, PostalArea>();
  /** Codes of regions by country and name. */
  readonly #regions = new Map<string, string>();
  readonly #countries = new Set<string>();
  readonly #otherNames = new Map<string, string>();

  static async load(): Promise<Gazetteer> {
    const gazetteer = new Gazetteer();
    gazetteer.#addOwnNames();
    for (const { code, name } of await readRegions()) gazetteer.#addRegion(code, name);
    await eventLoop.forEach(await readTowns(), (row) => {
      const { name, country, admin1: region, admin2: part } = row;
      gazetteer.#countries.add(country);
      gazetteer.#addTown(name, { lat: Number(row.lat), lng: Number(row.lng), country, region, part });
    });
    for (const rows of await readPostalCodes())
      await eventLoop.forEach(rows, (row) => {
        const country = row.country === 'US' ? 'US' : 'CA';
        const { latitude: lat, longitude: lng, state } = row;
        if (!Number.isFinite(lat) || !Number.isFinite(lng) || (lat === 0 && lng === 0)) return;
        gazetteer.#postalCodes.set(postalKey(row.zip), { lat, lng, country, state });
        // Villages that only the post knows.
        const isKnown = gazetteer
          .#named(row.city)
          .some((town) => town.country === 'US' && town.region === state);
        if (country === 'US' && !isKnown)
          gazetteer.#addTown(row.city, { lat, lng, country, region: state, part: '' });
      });
    return gazetteer;
  }

  /** Where the address lies; null where it names no place that is known, or none that only one place is meant by. */
  find(address: AddressNames): GazetteerPlace | null {
    const names = namesInAddress(address, (text) => countryCode(text, this.#countries) !== null);
    const country = names.country === null ? null : countryCode(names.country, this.#countries);
    // A country that is not understood would be ignored otherwise.
    if (names.country !== null && country === null) return null;
    const postal = this.#postal(names, country);
    if (postal !== null) return { lat: postal.lat, lng: postal.lng, by: 'postal_code' };
    const town = names.city === null ? null : this.#town(names.city, names.state, country);
    return town && { lat: town.lat, lng: town.lng, by: 'town' };
  }

  /** By the postal code, unless the state that the address names is another. */
  #postal({ postalCode, state }: AddressNames, country: string | null): PostalArea | null {
    if (postalCode === null) return null;
    const key = postalKey(postalCode);
    const code = ZIP.test(key) ? key.slice(0, 5) : CANADIAN.test(key) ? key.slice(0, 3) : key;
    const area = this.#postalCodes.get(code);
    if (area === undefined || (country !== null && country !== area.country)) return null;
    // Five digits are a code of many countries.
    if (country === null && area.country === 'US' && state === null) return null;
    if (state === null) return area;
    return this.#region(area.country, state) === this.#region(area.country, area.state) ? area : null;
  }

  #town(name: string, state: string | null, country: string | null): Town | null {
    const named = this.#named(name, country).filter((town) => country === null || town.country === country);
    const inState = state === null ? [] : named.filter((town) => this.#isIn(town, state, country));
    // A name alone is not enough: every state has a Springfield.
    const isStateKnown = state !== null && (country === null || this.#region(country, state) !== null);
    const candidates = inState.length > 0 || isStateKnown || country === null ? inState : named;
    const [first, ...others] = candidates;
    if (first === undefined) return null;
    return others.every((other) => distanceKm(first, other) <= SAME_TOWN_KM) ? first : null;
  }

  #named(name: string, country: string | null = null): readonly Town[] {
    const key = nameKey(name);
    const own = this.#towns.get(key) ?? [];
    const other = this.#otherNames.get(`${country ?? 'US'}|${key}`);
    const found = other === undefined ? own : [...(this.#towns.get(other) ?? []), ...own];
    return found.length > 0 ? found : (this.#towns.get(key.replace(OFFICIAL, '')) ?? []);
  }

  #isIn({ country, region, part }: Town, state: string, stated: string | null): boolean {
    if (this.#region(country, state) === region) return true;
    // MI is Michigan, unless the address is Italian.
    return stated !== null && part !== '' && part === state.trim().toUpperCase();
  }

  /** GeoNames' code of a region by its code, its name or its usual short form; null for another text. */
  #region(country: string, text: string): string | null {
    return this.#regions.get(`${country}|${placeKey(text)}`) ?? null;
  }

  #addTown(name: string, town: Town): void {
    const key = nameKey(name);
    const known = this.#towns.get(key);
    if (known === undefined) this.#towns.set(key, [town]);
    else known.push(town);
  }

  /** Codes that are letters stand in addresses; others are GeoNames' own. */
  #addRegion(code: string, name: string): void {
    const [country = '', region = ''] = code.split('.');
    this.#regions.set(`${country}|${placeKey(name)}`, region);
    if (/^[A-Z]/.test(region)) this.#regions.set(`${country}|${placeKey(region)}`, region);
  }

  #addOwnNames(): void {
    for (const [country, regions] of Object.entries(REGION_CODES))
      for (const [name, region] of Object.entries(regions))
        this.#regions.set(`${country}|${placeKey(name)}`, region);
    for (const [country, names] of Object.entries(OTHER_NAMES))
      for (const [name, other] of Object.entries(names))
        this.#otherNames.set(`${country}|${nameKey(name)}`, nameKey(other));
  }
}

const ZIP = /^\d{5}(?:\d{4})?$/;
const CANADIAN = /^[a-z]\d[a-z](?:\d[a-z]\d)?$/;

const OFFICIAL = /^(?:city|town|village|borough|township) of | (?:township|twp)$/;
const LONG_WORDS = /\b(?:saint|sainte|fort|mount)\b/g;
const SHORT_WORDS: Readonly<Record<string, string>> = { saint: 'st', sainte: 'ste', fort: 'ft', mount: 'mt' };

/** Names of towns in one form: as names of places, with the usual words abbreviated. */
function nameKey(name: string): string {
  const key = /^[A-Za-z ]+$/.test(name) ? name.toLowerCase() : placeKey(name);
  return key.replace(LONG_WORDS, (word) => SHORT_WORDS[word] ?? word).trim();
}

let loaded: Promise<Gazetteer> | undefined;

/** The gazetteer of this process, read when the first address needs it: a second of work, and about 45 MB. */
export function gazetteer(): Promise<Gazetteer> {
  loaded ??= Gazetteer.load();
  return loaded;
}
