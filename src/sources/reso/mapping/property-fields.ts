// Fields that a source is asked for, and their values as the source sent them.

import { isRecord, type UpstreamRecord } from './decode.ts';
import FIELDS from './fields.json' with { type: 'json' };
import { FEATURE_FIELDS } from './home.ts';

/** Every field that the mapping reads. */
export const PROPERTY_FIELDS: readonly string[] = [...new Set([...FIELDS, ...FEATURE_FIELDS])].sort();

const LONGEST_TEXT = 32_000;
const LONGEST_LIST = 200;

/**
 * The record's fields with a value. A server may send more than it was asked for, private remarks among it: what is not
 * asked for is not kept. Children (media, open houses) are records of their own.
 */
export function givenFields(upstream: UpstreamRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    PROPERTY_FIELDS.flatMap((field) => {
      const value = given(upstream[field]);
      return value === undefined ? [] : [[field, value] as const];
    }),
  );
}

function given(value: unknown): unknown {
  if (value === undefined || value === null || isRecord(value)) return undefined;
  if (typeof value === 'string') return value === '' ? undefined : value.slice(0, LONGEST_TEXT);
  if (!Array.isArray(value)) return value;
  const items = value.slice(0, LONGEST_LIST).map((item) => (Array.isArray(item) ? undefined : given(item)));
  return items.filter((item) => item !== undefined);
}
