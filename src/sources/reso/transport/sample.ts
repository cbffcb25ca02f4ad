// Sample of a record that could not be read, for operators: its members by name, and values of a few that say nothing of people.

import { isRecord } from '../mapping/decode.ts';

/** Members whose values may be shown: keys, kinds, statuses and times. */
const SHOWN: readonly string[] = [
  'ListingKey',
  'ListingKeyNumeric',
  'ListingId',
  'OriginatingSystemName',
  'StandardStatus',
  'MlsStatus',
  'PropertyType',
  'PropertySubType',
  'ListPrice',
  'PhotosCount',
  'ModificationTimestamp',
];
/** What such values look like; anything else may be anything. */
const PLAIN = /^[\w .:+-]{0,60}$/;
const NAME = /^[A-Za-z@][\w.@]{0,59}$/;
const MAX_NAMES = 40;
const MAX_LENGTH = 1_000;

/** `{"ListingKey": null, "StandardStatus": "Active"}, also: Media, PublicRemarks`; `watermark`: a further member that is shown. */
export function sampleOf(record: unknown, watermark: string | null = null): string {
  if (!isRecord(record)) return `no record: ${kindOf(record)}`;
  const shown = Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => SHOWN.includes(name) || name === watermark)
      .map(([name, value]) => [name, plain(value)]),
  );
  const others = Object.keys(record).filter((name) => !Object.hasOwn(shown, name));
  const names = others.filter((name) => NAME.test(name)).slice(0, MAX_NAMES);
  const more = others.length - names.length;
  const also = [...names, ...(more > 0 ? [`${more} more`] : [])];
  const text = `${JSON.stringify(shown)}${also.length === 0 ? '' : `, also: ${also.join(', ')}`}`;
  return text.slice(0, MAX_LENGTH);
}

function plain(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' && PLAIN.test(value) ? value : `(${kindOf(value)})`;
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return value === null ? 'null' : typeof value;
}
