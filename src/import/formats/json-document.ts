// Documents of JSON that are read whole: the features of a GeoJSON collection, or the objects of an array.

import { Readable } from 'node:stream';
import { recordOf } from './json-record.ts';
import { FileFault, type Records } from './record.ts';
import { ARRAY, collectionForm } from './rejected-form.ts';

/** Characters that a document may have. */
const LONGEST_DOCUMENT = 400_000_000;

/** Throws FileFault for what is no FeatureCollection. */
export async function readGeoJson(texts: AsyncIterable<string>): Promise<Records> {
  const collection = ((await parseDocument(texts)) ?? {}) as Record<string, unknown>;
  if (!Array.isArray(collection.features))
    throw new FileFault('The file is no GeoJSON FeatureCollection: it has no list of features.');
  return {
    ...documentRecords(collection.features),
    places: 'feature',
    rejectedForm: collectionForm(collection),
  };
}

/** Throws FileFault for what is no array. */
export async function readJsonArray(texts: AsyncIterable<string>): Promise<Records> {
  const values = await parseDocument(texts);
  if (!Array.isArray(values)) throw new FileFault('The file is no JSON array of objects.');
  return { ...documentRecords(values), places: 'record', rejectedForm: ARRAY };
}

async function parseDocument(texts: AsyncIterable<string>): Promise<unknown> {
  const parts: string[] = [];
  let length = 0;
  for await (const text of texts) {
    length += text.length;
    if (length > LONGEST_DOCUMENT)
      throw new FileFault(
        'The file is too large to be read whole: write one object or feature a line instead.',
      );
    parts.push(text);
  }
  try {
    return JSON.parse(parts.join(''));
  } catch (error) {
    throw new FileFault(`The file is not JSON: ${(error as Error).message}.`);
  }
}

function documentRecords(values: readonly unknown[]): Omit<Records, 'places' | 'rejectedForm'> {
  const records = values.map((value, at) => recordOf(value, { row: at + 1, place: at + 1 }));
  const columns = new Set(records.flatMap(({ fields }) => Object.keys(fields)));
  return { columns: [...columns], complete: true, total: records.length, rows: Readable.from(records) };
}
