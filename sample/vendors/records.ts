// Records as a vendor serves them: its watermark, its flag, its photos and its spelling of enumerations.

import { propertyFields } from '../fields/property.ts';
import type { Listing } from '../market/listing.ts';
import type { Column, Columns } from '../odata/match.ts';
import type { Query } from '../odata/options.ts';
import { badRequest } from '../odata/problem.ts';
import { propertyColumns, recordOf, type View } from '../odata/property.ts';
import type { Quirks } from './quirks.ts';
import { isOfResource } from './resources.ts';
import type { VendorRules } from './rules.ts';

const MODIFIED = 'ModificationTimestamp';
const LOCAL: readonly string[] = ['MlsStatus', 'MLSAreaMajor'];

export interface RecordParts {
  readonly rules: VendorRules;
  readonly view: View;
  readonly quirks: Quirks;
  /** When a listing last changed, in milliseconds, a change of nothing included. */
  readonly stampOf: (listing: Listing) => number;
  readonly isFlagged: (listing: Listing) => boolean;
  /** A value of a lookup as people read it now. */
  readonly textOf: (lookup: string, value: string) => string;
  /** Signs the address of a photo. */
  readonly sign: (media: string) => string;
}

/** Names of the fields that the vendor has beside those of the dictionary. */
export const ownFields = ({ watermark, flag }: VendorRules): readonly string[] => [
  ...(watermark === MODIFIED ? [] : [watermark]),
  ...(flag === null ? [] : [flag]),
];

/** A local value of an enumeration as a name, whose text is in $metadata. */
export const annotatedName = (value: string): string =>
  `b__${Buffer.from(value).toString('base64url').replaceAll('-', '_')}`;

export const isAnnotated = (field: string, { enumerations }: VendorRules): boolean =>
  enumerations === 'annotated' && LOCAL.includes(field);

/** Columns for filters and orders: the watermark moves with every change, and another time of change may not. */
export function columnsOf(parts: RecordParts): Columns<Listing> {
  const { rules, view, quirks, stampOf, isFlagged } = parts;
  const known = propertyColumns(view);
  const cut = (at: number) => (quirks.wholeSeconds ? at - (at % 1_000) : at);
  const moment = (name: string, read: (listing: Listing) => number): Column<Listing> => ({
    name,
    type: 'DateTimeOffset',
    many: false,
    read: (listing) => cut(read(listing)),
  });
  return (name) => {
    if (name === rules.watermark) return moment(name, stampOf);
    if (name === MODIFIED) return moment(name, (listing) => listing.enteredAt);
    if (name === rules.flag)
      return { name, type: 'Boolean', many: false, read: (listing) => !isFlagged(listing) };
    return known(name);
  };
}

/** A query by the names that fields had before they were renamed; 400 for one that selects such a name. */
export function byFormerNames(query: Query, { renamed }: Quirks): Query {
  const former = new Map(Object.entries(renamed).map(([name, present]) => [present, name]));
  const select = query.select?.map((name) => {
    if (renamed[name] !== undefined) throw badRequest(`Property has no field ${name}`);
    return former.get(name) ?? name;
  });
  return { ...query, select: select ?? null };
}

/** One listing as the vendor serves it. */
export function vendorRecord(
  listing: Listing,
  query: Pick<Query, 'select' | 'expand'>,
  parts: RecordParts,
): Record<string, unknown> {
  const { rules, view, quirks, isFlagged } = parts;
  const own = ownFields(rules);
  const wanted = query.select ?? [
    ...propertyFields.keys(),
    ...own,
    ...(rules.media === 'inline' ? ['Media'] : []),
  ];
  const hasMedia = query.expand.has('Media') || (rules.media === 'inline' && wanted.includes('Media'));
  const select = wanted.filter((name) => propertyFields.has(name));
  const expand = new Map([
    ...query.expand,
    ...(hasMedia ? [['Media', query.expand.get('Media') ?? Number.POSITIVE_INFINITY] as const] : []),
  ]);
  const record = recordOf(listing, { select, expand }, view);
  const columns = columnsOf(parts);
  for (const name of [MODIFIED, rules.watermark])
    if (wanted.includes(name)) record[name] = new Date(Number(columns(name).read(listing))).toISOString();
  if (rules.flag !== null && wanted.includes(rules.flag)) record[rules.flag] = !isFlagged(listing);
  if (Array.isArray(record.Media)) record.Media = mediaAs(record.Media as readonly Media[], query, parts);
  rename(record, parts);
  for (const name of LOCAL)
    if (isAnnotated(name, rules) && typeof record[name] === 'string')
      record[name] = annotatedName(record[name]);
  const resources = [...rules.resources, ...quirks.resources];
  const served = Object.entries(record).filter(([name]) => !isOfResource(name, resources));
  return quirky(Object.fromEntries(served), quirks);
}

/** Names of values stay where their texts are renamed. */
function rename(record: Record<string, unknown>, { view, rules, textOf }: RecordParts): void {
  if (view.spelling !== 'display') return;
  for (const [name, value] of Object.entries(record)) {
    const lookup = propertyFields.get(name)?.lookup ?? null;
    if (lookup === null || isAnnotated(name, rules)) continue;
    if (typeof value === 'string') record[name] = textOf(lookup, value);
    else if (Array.isArray(value)) record[name] = value.map((each) => textOf(lookup, String(each)));
  }
}

type Media = Readonly<Record<string, unknown>> & { readonly MediaKey: string };

function mediaAs(
  media: readonly Media[],
  query: Pick<Query, 'expand'>,
  { rules, quirks, sign }: RecordParts,
): unknown[] {
  if (quirks.emptyMedia) return [];
  const requested = query.expand.get('Media') ?? Number.POSITIVE_INFINITY;
  const max = Number.isFinite(requested) ? requested : (quirks.expandCap ?? requested);
  const sent = media.slice(0, max);
  return rules.media === 'single-use'
    ? sent.map((each) => ({ ...each, MediaURL: sign(each.MediaKey) }))
    : sent;
}

function quirky(record: Record<string, unknown>, { oddTypes, renamed }: Quirks): Record<string, unknown> {
  if (oddTypes) {
    record.BedroomsTotal =
      typeof record.BedroomsTotal === 'number' ? `${record.BedroomsTotal}.0` : record.BedroomsTotal;
    record.TaxAnnualAmount = 'TBD';
    record.PropertyType = [record.PropertyType];
  }
  const names = Object.entries(renamed);
  return names.length === 0
    ? record
    : Object.fromEntries(Object.entries(record).map(([name, value]) => [renamed[name] ?? name, value]));
}
