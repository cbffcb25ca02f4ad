// Mapping of one record for tests, with the fields of it that could not be read.

import assert from 'node:assert/strict';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { UpstreamRecord } from '../../../src/sources/reso/mapping/decode.ts';
import { mapProperty } from '../../../src/sources/reso/mapping/map.ts';

/** The draft of a record with a key. */
export function mapped(record: UpstreamRecord, note: (field: string) => void = () => {}): ListingDraft {
  const draft = mapProperty({ ListingKey: 'k1', ...record }, { currency: 'USD', note });
  assert.ok(draft !== null);
  return draft;
}

export function mappedRental(record: UpstreamRecord): ListingDraft {
  return mapped({ PropertyType: 'Residential Lease', ...record });
}

/** Names of the fields that could not be read, in order. */
export function unreadable(record: UpstreamRecord): string[] {
  const fields: string[] = [];
  mapped(record, (field) => fields.push(field));
  return fields.sort();
}
