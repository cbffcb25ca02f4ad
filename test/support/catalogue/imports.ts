// Imports within the process of a test: a map from its fields, a file from its text, and what came of them.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DryRun, dryRunImport } from '../../../src/import/dry-run.ts';
import { parseMap } from '../../../src/import/mapping/map.ts';
import { type ImportResult, runImport } from '../../../src/import/run.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

/** Rules of a map for listings with the columns id and price. */
export const FIELDS = {
  listingKey: { column: 'id' },
  listingType: { constant: 'sale' },
  status: { constant: 'ACTIVE' },
  propertyType: { constant: 'CONDO' },
  currency: { constant: 'USD' },
  listPrice: { column: 'price' },
};

export interface Import {
  readonly name: string;
  readonly content: string | Buffer;
  /** Members of the map besides kind, source and fields. */
  readonly map?: object;
  readonly fields?: object;
  readonly rejectedFile?: string;
}

async function optionsOf(folder: string, { name, content, map = {}, fields = {}, rejectedFile }: Import) {
  const file = join(folder, name);
  await writeFile(file, content);
  const text = {
    kind: 'listings',
    source: { id: 'small', name: 'Small' },
    ...map,
    fields: { ...FIELDS, ...fields },
  };
  const parsed = parseMap('map.json', JSON.stringify(text));
  return { file, map: parsed, mapFile: 'map.json', ...(rejectedFile !== undefined && { rejectedFile }) };
}

export async function rehearse(folder: string, request: Import): Promise<DryRun> {
  return dryRunImport(await optionsOf(folder, request));
}

export async function importFile(database: Database, folder: string, request: Import): Promise<ImportResult> {
  return runImport(database, await optionsOf(folder, request));
}
