// File of listings for the bench of loads: as a spreadsheet of a portal would have them, about 310 bytes a row.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { random } from '../market.ts';
import { listingsOf } from '../million/drafts.ts';
import { country } from '../million/towns.ts';

const SEED = 20_261;
const DAY = 86_400_000;
const ROWS_AT_ONCE = 500;

const COLUMNS = {
  listingKey: 'id',
  listingType: 'kind',
  status: 'status',
  propertyType: 'type',
  currency: 'currency',
  listPrice: 'price',
  closePrice: 'sold_for',
  closedAt: 'sold_on',
  onMarketDate: 'listed_on',
  bedrooms: 'beds',
  bathrooms: 'baths',
  livingArea: 'sqft',
  lotSize: 'lot',
  yearBuilt: 'built',
  'address.streetNumber': 'number',
  'address.streetName': 'street',
  'address.city': 'city',
  'address.county': 'county',
  'address.state': 'state',
  'address.postalCode': 'zip',
  'location.lat': 'lat',
  'location.lng': 'lng',
  features: 'features',
  description: 'text',
  'agent.name': 'agent',
  'office.name': 'office',
} as const;

/** Writes so many rows and the map for them. Returns their paths. */
export async function writeLoadFile(folder: string, rows: number): Promise<{ file: string; map: string }> {
  const [file, map] = [`${folder}/homes.csv`, `${folder}/homes.map.json`];
  await writeFile(map, JSON.stringify(mapOfFile()));
  const stream = createWriteStream(file);
  stream.write(`${Object.values(COLUMNS).join()}\n`);
  let batch: string[] = [];
  for (const row of loadRows(rows)) {
    batch.push(row);
    if (batch.length < ROWS_AT_ONCE) continue;
    if (!stream.write(batch.join(''))) await once(stream, 'drain');
    batch = [];
  }
  stream.end(batch.join(''));
  await finished(stream);
  return { file, map };
}

/** Their drafts as a feed would send them. */
export function* loadDrafts(rows: number) {
  const { towns } = country(SEED);
  const today = Math.floor(Date.now() / DAY) * DAY;
  let written = 0;
  for (let home = 0; written < rows; home++)
    for (const { draft } of listingsOf(towns, SEED, home, today))
      if (written < rows) {
        written++;
        yield draft;
      }
}

function* loadRows(rows: number): Generator<string> {
  const next = random(SEED);
  for (const draft of loadDrafts(rows)) {
    const { address, location } = draft;
    const values = [
      draft.listingKey,
      draft.listingType,
      draft.status,
      draft.propertyType,
      'USD',
      draft.listPrice,
      draft.closePrice,
      draft.closedAt,
      draft.onMarketDate,
      draft.bedrooms,
      draft.bathrooms,
      draft.livingArea,
      draft.lotSize,
      draft.yearBuilt,
      address.streetNumber,
      address.streetName,
      address.city,
      address.county,
      address.state,
      address.postalCode,
      location?.lat,
      location?.lng,
      draft.features.slice(0, 3).join('|'),
      draft.description?.slice(0, 100 + Math.floor(next() * 40)),
      draft.agent?.name,
      draft.office?.name,
    ];
    yield `${values.map((value) => quoted(value ?? '')).join()}\n`;
  }
}

const quoted = (value: string | number): string =>
  typeof value === 'string' && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value);

function mapOfFile(): object {
  const fields = Object.fromEntries(
    Object.entries(COLUMNS).map(([field, column]) => [field, ruleOf(field, column)]),
  );
  return {
    kind: 'listings',
    source: { id: 'bench-file', name: 'Bench' },
    fields: { ...fields, 'address.country': { constant: 'US' } },
  };
}

function ruleOf(field: string, column: string): object {
  if (field === 'livingArea' || field === 'lotSize') return { column, unit: 'sqft' };
  return field === 'features' ? { column, separator: '|' } : { column };
}
