// Feature slugs: the dictionary's many lists of amenities as one set that people filter by.

import type { FieldReader } from './decode.ts';
import { fold, slug, spelled } from './enumerations.ts';
import TABLE from './features.json' with { type: 'json' };

type Slugs = string | readonly string[];

const LONGEST_SLUG = 60;
const TABLES = Object.entries(TABLE.values as Readonly<Record<string, Readonly<Record<string, Slugs>>>>).map(
  ([field, values]) => ({ field, meaning: spelled<Slugs>(values) }),
);
const NEVER = new Set(TABLE.never.map(fold));
// Elsewhere a bare "Gas" or "Common" means nothing outside its field, so only values in the table count there.
const FREE = new Set(TABLE.free);

/** The fields features are read from, for $select. */
export const FEATURE_FIELDS: readonly string[] = [
  ...TABLES.map(({ field }) => field),
  ...TABLE.free,
  ...Object.keys(TABLE.flags),
  ...Object.keys(TABLE.counts),
];

function ownSlug(field: string, value: string): Slugs {
  const own = slug(value);
  return FREE.has(field) && own !== '' && own.length <= LONGEST_SLUG ? own : [];
}

/** Sorted, without repeats. Values the table does not know keep a slug of their own where their field allows it. */
export function features(record: FieldReader): string[] {
  const found = new Set<string>();
  for (const { field, meaning } of TABLES) {
    for (const value of record.list(field)) {
      if (NEVER.has(fold(value))) continue;
      for (const feature of [meaning(value) ?? ownSlug(field, value)].flat()) found.add(feature);
    }
  }
  for (const [field, feature] of Object.entries(TABLE.flags)) if (record.flag(field)) found.add(feature);
  for (const [field, feature] of Object.entries(TABLE.counts)) if (record.count(field)) found.add(feature);
  if (found.has('washer') && found.has('dryer')) found.add('washer_dryer');
  return [...found].sort();
}
