// Keys: columns by which each row could be named, and the proof that no two rows share one.

import { LISTING_FIELDS } from '../mapping/fields.ts';
import { wordsOf } from './column-names.ts';
import type { ColumnSummary } from './column-summary.ts';
import type { FileSummary } from './file-summary.ts';
import { textsOf } from './reading.ts';

const MAX_CANDIDATES = 6;
/** Characters of a value that a key may be made of. */
const MAX_KEY_LENGTH = 150;

/** Candidates for the key, the best first; the whole file decides which of them is unique. At least one. */
export function keyCandidates(
  file: FileSummary,
  byField: ReadonlyMap<string, ColumnSummary>,
  elsewhere: readonly string[],
): string[][] {
  const columns = file.columns.filter(
    (column) =>
      column.filled > 0 &&
      column.length <= MAX_KEY_LENGTH &&
      column.name !== '' &&
      !elsewhere.includes(column.name),
  );
  const of = (...fields: readonly string[]): ColumnSummary[] =>
    fields.flatMap((field) => byField.get(field) ?? []);
  const named = of('listingKey', 'listingId');
  const measured = new Set([...byField].filter(([field]) => isMeasure(field)).map(([, column]) => column));
  const ids = columns.filter(
    (column) =>
      column.seemsUnique && isIdentifier(column) && !named.includes(column) && !measured.has(column),
  );
  const dates = of('closedAt', 'onMarketDate', 'listedAt');
  const places = of(
    'address.full',
    'address.streetNumber',
    'address.streetName',
    'address.unit',
    'address.postalCode',
    'address.city',
  );
  const singles = [...named, ...ids, ...of('listingUrl')].map((column) => [column]);
  const [name] = [...named, ...of('parcelNumber')];
  const pairs = name === undefined ? [] : dates.map((column) => [name, column]);
  const unique = columns
    .filter((column) => column.seemsUnique && !measured.has(column))
    .map((column) => [column]);
  // A postal code or a city is of many homes.
  const hasStreet = byField.has('address.full') || byField.has('address.streetName');
  const described = !hasStreet ? [] : [places, [...places, ...dates.slice(0, 1)]];
  const all = [
    ...singles,
    ...pairs,
    ...described,
    ...unique.filter(([column]) => !column?.name.match(/price|lat|lon/i)),
  ];
  const texts = all.map((candidate) =>
    candidate.map((column) => column.name).filter((each, at, list) => list.indexOf(each) === at),
  );
  const distinct = [...new Map(texts.map((candidate) => [candidate.join('\0'), candidate])).values()].slice(
    0,
    MAX_CANDIDATES,
  );
  const [first] = columns;
  return distinct.length > 0 ? distinct : [[first?.name ?? file.columns[0]?.name ?? '']];
}

const PLACES = /^address\.(?:city|state|postalCode|county|country|neighborhood)$/;

/** Numbers, dates, choices and places say how a home is, and name it by chance only. */
function isMeasure(field: string): boolean {
  if (PLACES.test(field)) return true;
  const kind = LISTING_FIELDS[field]?.kind;
  return kind !== undefined && kind !== 'text' && kind !== 'url';
}

/** Whether a column looks like a number or a code of something. */
function isIdentifier(column: ColumnSummary): boolean {
  const isNamed = wordsOf(column.name).some((word) =>
    ['id', 'no', 'nr', 'ref', 'key', 'code', 'guid', 'uuid', 'number', 'numero', '#'].includes(word),
  );
  return isNamed && textsOf(column).every((text) => /^[\p{L}\p{N}][\p{L}\p{N}./_#-]*$/u.test(text));
}
