// Real rental listings for estimates of rents, read from a file and divided into folds with a seed.

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { HomeFacts } from '../../src/property/similarity.ts';
import { draft, NO_ADDRESS } from '../../test/support/catalogue/drafts.ts';
import { FOLDS } from './sales.ts';

/** One advertised flat. */
export interface Rent {
  readonly id: string;
  readonly fold: number;
  /** US dollars a month. */
  readonly price: number;
  readonly city: string;
  readonly state: string;
  readonly home: HomeFacts & { readonly livingArea: number };
}

/** The middle of the country, where flats of unknown location were put. */
const NOWHERE = { lat: 39.8163, lng: -98.5576 };

/** The flats with a place, a size and a rent by the month. One that is advertised twice is taken once. */
export async function readRents(folder: string): Promise<Rent[]> {
  const text = gunzipSync(await readFile(join(folder, 'rents.csv.gz')));
  const rows: readonly Readonly<Record<string, string>>[] = parse(text, { columns: true });
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const { id = '', price = '', cityname = '', state = '', price_type: type = '' } = row;
    const known = (name: string): number | null => {
      const value = Number.parseFloat(row[name] ?? '');
      return Number.isFinite(value) ? value : null;
    };
    const [lat, lng, livingArea] = [known('latitude'), known('longitude'), known('square_feet')];
    if (lat === null || lng === null || !livingArea || !(Number(price) > 0) || type !== 'Monthly') return [];
    if (Math.abs(lat - NOWHERE.lat) < 0.001 && Math.abs(lng - NOWHERE.lng) < 0.001) return [];
    const same = [lat, lng, livingArea, price, row.bedrooms, row.bathrooms].join();
    if (seen.has(same)) return [];
    seen.add(same);
    const facts = { bedrooms: known('bedrooms'), bathrooms: known('bathrooms'), livingArea };
    return {
      id,
      price: Number(price),
      city: cityname,
      state,
      fold: Number.parseInt(hash('sha256', `s1${id}`, 'hex').slice(0, 8), 16) % FOLDS,
      home: {
        propertyType: 'APARTMENT',
        location: { lat, lng },
        ...facts,
        lotSize: null,
        yearBuilt: null,
        waterfront: null,
      },
    };
  });
}

/** The flat as an import would bring it. */
export function draftOfRent({ id, price, city, state, home }: Rent): ListingDraft {
  const { location, ...facts } = home;
  return draft(id, {
    ...facts,

    listingType: 'rental',
    status: 'ACTIVE',
    listPrice: price,
    priceFrequency: 'MONTHLY',
    parcelNumber: id,
    location: { ...location, precision: 'exact' },
    address: { ...NO_ADDRESS, city, state, country: 'US' },
  });
}

/** The median rent per area of the city’s flats, times the living area; null below five. */
export function cityBaseline(
  known: readonly Rent[],
  rent: Rent,
  median: (values: readonly number[]) => number,
): number | null {
  const there = known.filter(({ city, state }) => city === rent.city && state === rent.state);
  if (there.length < 5) return null;
  return median(there.map(({ price, home }) => price / home.livingArea)) * rent.home.livingArea;
}
