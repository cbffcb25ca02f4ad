// Real sales for estimates, read from a file and divided into folds by parcel with a seed.

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { HomeFacts } from '../../src/property/similarity.ts';
import { draft, NO_ADDRESS } from '../../test/support/catalogue/drafts.ts';
import { median } from '../statistics.ts';

/** One sale, with what the catalogue keeps of it: neither the grade nor the condition that the file has besides. */
export interface Sale {
  readonly parcel: string;
  readonly postalCode: string;
  /** YYYY-MM-DD */
  readonly closedOn: string;
  readonly price: number;
  readonly home: HomeFacts & { readonly livingArea: number };
}

export const FOLDS = 5;
const SEED = 's1';

/** The fold that a parcel belongs to, from 0 on: all sales of a parcel are in one. */
export function foldOf(parcel: string): number {
  return Number.parseInt(hash('sha256', SEED + parcel, 'hex').slice(0, 8), 16) % FOLDS;
}

/** The sales of King County, from the folder of real data. */
export async function readSales(folder: string): Promise<Sale[]> {
  const text = gunzipSync(await readFile(join(folder, 'sales.csv.gz'))).toString();
  const [heading = '', ...lines] = text.trim().split(/\r?\n/);
  const cells = (line: string) => line.split(',').map((cell) => cell.replaceAll('"', ''));
  const names = cells(heading);
  return lines.map((line) => {
    const values = cells(line);
    return saleOf(Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])));
  });
}

function saleOf(row: Readonly<Record<string, string>>): Sale {
  const { id = '', date = '', zipcode = '' } = row;
  return {
    parcel: id,
    postalCode: zipcode,
    closedOn: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`,
    price: Number(row.price),
    home: {
      propertyType: 'SINGLE_FAMILY',
      location: { lat: Number(row.lat), lng: Number(row.long) },
      livingArea: Number(row.sqft_living),
      bedrooms: Number(row.bedrooms),
      bathrooms: Number(row.bathrooms),
      lotSize: Number(row.sqft_lot),
      yearBuilt: Number(row.yr_built),
      waterfront: row.waterfront === '1',
    },
  };
}

/** The sale as an import would bring it. */
export function draftOfSale({ parcel, postalCode, closedOn, price, home }: Sale): ListingDraft {
  const { location, ...facts } = home;
  return draft(`${parcel}-${closedOn}`, {
    ...facts,
    status: 'CLOSED',
    closePrice: price,
    closedAt: closedOn,
    parcelNumber: parcel,
    location: { ...location, precision: 'exact' },
    address: { ...NO_ADDRESS, postalCode, county: 'King', state: 'WA', country: 'US' },
  });
}

const DAY = 86_400_000;

/** The sales that a baseline may know of when it guesses this one: closed on earlier days of the year before it. */
function knownBefore(known: readonly Sale[], sale: Sale): Sale[] {
  const since = new Date(Date.parse(sale.closedOn) - 365 * DAY).toISOString().slice(0, 10);
  return known.filter(({ closedOn }) => closedOn < sale.closedOn && closedOn >= since);
}

/** How many nearest alike homes the baseline takes. */
const NEAREST = 15;
const FEWEST = 5;

/** The median price per area of the fifteen nearest of half to double the size, times the living area; null below five. */
export function nearestBaseline(known: readonly Sale[], sale: Sale): number | null {
  const { lat, lng } = sale.home.location;
  const narrowing = Math.cos((lat * Math.PI) / 180);
  const away = ({ home: { location } }: Sale) =>
    Math.hypot(location.lat - lat, (location.lng - lng) * narrowing);
  const ratio = ({ home }: Sale) => home.livingArea / sale.home.livingArea;
  const near = knownBefore(known, sale)
    .filter((other) => ratio(other) >= 0.5 && ratio(other) <= 2)
    .map((other) => ({ other, distance: away(other) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, NEAREST);
  if (near.length < FEWEST) return null;
  return median(near.map(({ other }) => other.price / other.home.livingArea)) * sale.home.livingArea;
}
