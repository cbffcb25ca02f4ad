// What the mapping does not know of a record: values that the dictionary lacks, and fields that are not read.

import type { UpstreamRecord } from './decode.ts';
import { dictionaryValues, fold } from './enumerations.ts';

/** Fields of which each value should be one of the dictionary's. */
const ENUMERATED = [
  'StandardStatus',
  'PropertyType',
  'PropertySubType',
  'LeaseTerm',
  'PetsAllowed',
  'Furnished',
] as const;

const KNOWN = ENUMERATED.map((field) => [field, new Set(dictionaryValues(field).map(fold))] as const);

/** Values of a record that are none of the dictionary's. */
export function unknownValues(record: UpstreamRecord): (readonly [field: string, value: string])[] {
  return KNOWN.flatMap(([field, known]) =>
    textsIn(record[field], known).map((value) => [field, value] as const),
  );
}

function textsIn(value: unknown, known: ReadonlySet<string>): string[] {
  const isUnknown = (text: string): boolean => fold(text) !== '' && !known.has(fold(text));
  if (typeof value === 'string')
    return isUnknown(value)
      ? value
          .split(',')
          .map((text) => text.trim())
          .filter(isUnknown)
      : [];
  return Array.isArray(value)
    ? value.filter((item: unknown) => typeof item === 'string').filter(isUnknown)
    : [];
}

/** Names that are counted at most, whatever a source sends. */
const MAX_FIELDS = 500;

/** Counts the fields of a record that have a value and are not read. Children and annotations are no fields. */
export function countUnreadFields(
  record: UpstreamRecord,
  read: ReadonlySet<string>,
  counts: Map<string, number>,
): void {
  for (const [field, value] of Object.entries(record)) {
    if (value === null || value === '' || read.has(field) || field.includes('@')) continue;
    if (typeof value === 'object' && !(Array.isArray(value) && typeof value[0] === 'string')) continue;
    const known = counts.get(field);
    if (known !== undefined || counts.size < MAX_FIELDS) counts.set(field, (known ?? 0) + 1);
  }
}
