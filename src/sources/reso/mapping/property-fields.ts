// Fields that are requested from a source, and their values as the source sent them.

import { isRecord, MAX_LIST_LENGTH, MAX_TEXT_LENGTH, type UpstreamRecord } from './decode.ts';
import FIELDS from './fields.json' with { type: 'json' };
import { FEATURE_FIELDS } from './home.ts';

/** Every field that the mapping reads. */
export const PROPERTY_FIELDS: readonly string[] = [...new Set([...FIELDS, ...FEATURE_FIELDS])].sort();

/**
 * The requested fields that have a value. Servers may send more than was requested, such as private remarks: that is dropped.
 * Children (media, open houses) are records of their own.
 */
export function requestedFields(upstream: UpstreamRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    PROPERTY_FIELDS.flatMap((field) => {
      const value = storedValue(upstream[field]);
      return value === undefined ? [] : [[field, value] as const];
    }),
  );
}

function storedValue(value: unknown): unknown {
  if (value === undefined || value === null || isRecord(value)) return undefined;
  if (typeof value === 'string') return value === '' ? undefined : value.slice(0, MAX_TEXT_LENGTH);
  if (!Array.isArray(value)) return value;
  const items = value
    .slice(0, MAX_LIST_LENGTH)
    .map((item) => (Array.isArray(item) ? undefined : storedValue(item)));
  return items.filter((item) => item !== undefined);
}
