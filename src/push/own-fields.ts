// Own field names in pushed records: their JSON types, and records as maps read them.

import { type Field, type Kind, LISTING_FIELDS } from '../import/mapping/fields.ts';
import type { ImportMap } from '../import/mapping/map.ts';
import { nearest } from '../lib/nearest.ts';
import { type FieldError, pointerTo } from '../lib/problem.ts';
import type { MediaMode } from '../listings/pictures/own-pictures.ts';

/** Members that order messages, and the field that a time of change fills. */
export const SEQUENCE = 'sequence';
export const MODIFIED_AT = 'modifiedAt';
const MODIFIED_FIELD = 'upstreamModifiedAt';
/** Faults of a record that are named. */
export const MAX_ERRORS = 20;

/** Every field of a record by its name, such as `address.city`. */
export const OWN: ReadonlyMap<string, Field> = new Map(
  Object.entries(LISTING_FIELDS).filter(([name]) => name !== MODIFIED_FIELD),
);

/** Members of each object within a record. */
export const GROUPS: ReadonlyMap<string, readonly string[]> = groupNames();
export const TOP: readonly string[] = [
  ...[...OWN.keys()].filter((name) => !name.includes('.')),
  ...GROUPS.keys(),
  SEQUENCE,
  MODIFIED_AT,
];

function groupNames(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of OWN.keys()) {
    const [group = '', member] = name.split('.');
    if (member !== undefined) groups.set(group, [...(groups.get(group) ?? []), member]);
  }
  return groups;
}

/** Names that other APIs have for a field. */
const MEANT: Readonly<Record<string, string>> = {
  price: 'listPrice',
  type: 'listingType',
  key: 'listingKey',
  id: 'listingKey',
  beds: 'bedrooms',
  baths: 'bathrooms',
  sqft: 'livingArea',
  url: 'listingUrl',
  images: 'photos',
  media: 'photos',
  lat: 'location/lat',
  latitude: 'location/lat',
  lng: 'location/lng',
  lon: 'location/lng',
  longitude: 'location/lng',
  zip: 'address/postalCode',
  street: 'address/streetName',
  updatedAt: MODIFIED_AT,
  version: SEQUENCE,
};

type JsonType = 'string' | 'number' | 'boolean' | 'array';
export const TYPES: Readonly<Record<Kind, JsonType>> = {
  text: 'string',
  choice: 'string',
  currency: 'string',
  url: 'string',
  number: 'number',
  integer: 'number',
  money: 'number',
  monthlyMoney: 'number',
  area: 'number',
  degrees: 'number',
  boolean: 'boolean',
  date: 'string',
  time: 'string',
  timeOrDate: 'string',
  timeZone: 'string',
  list: 'array',
  slugs: 'array',
  urls: 'array',
  amounts: 'array',
  intervals: 'array',
};

/** A record as a map reads it, with what is wrong with its members. */
export interface FlatRecord {
  readonly fields: Record<string, unknown>;
  readonly errors: FieldError[];
  /** Captions of photos by their position. */
  readonly captions: ReadonlyMap<number, string>;
}

/** The members of a record by the names of their fields; `null` is the same as none. */
export function flatten(record: Readonly<Record<string, unknown>>): FlatRecord {
  const flat: FlatRecord & { readonly captions: Map<number, string> } = {
    fields: {},
    errors: [],
    captions: new Map(),
  };
  for (const [name, value] of Object.entries(record)) {
    if (name === SEQUENCE) continue;
    const group = GROUPS.get(name);
    if (group === undefined) addField(flat, name, value, pointerTo(name));
    else if (isObject(value)) addGroup(flat, name, value, group);
    else if (value !== null) flat.errors.push({ pointer: pointerTo(name), detail: 'must be an object' });
  }
  return flat;
}

function addGroup(
  flat: FlatRecord & { readonly captions: Map<number, string> },
  name: string,
  value: Record<string, unknown>,
  members: readonly string[],
): void {
  for (const [member, inner] of Object.entries(value)) {
    const pointer = pointerTo(member, pointerTo(name));
    if (members.includes(member)) addField(flat, `${name}.${member}`, inner, pointer);
    else if (flat.errors.length < MAX_ERRORS) flat.errors.push(unknown(pointer, nearest(member, members)));
  }
}

function addField(
  flat: FlatRecord & { readonly captions: Map<number, string> },
  name: string,
  value: unknown,
  pointer: string,
): void {
  const field = name === MODIFIED_AT ? LISTING_FIELDS[MODIFIED_FIELD] : OWN.get(name);
  if (field === undefined) {
    // Looking for what was meant takes its time for each of thousands of members.
    if (flat.errors.length < MAX_ERRORS)
      flat.errors.push(unknown(pointer, MEANT[name] ?? nearest(name, TOP) ?? nestedName(name)));
    return;
  }
  if (value === null) return;
  const type = TYPES[field.kind];
  const isRight = type === 'array' ? Array.isArray(value) : typeof value === type;
  if (!isRight) {
    flat.errors.push({ pointer, detail: `must be ${type === 'array' ? 'an array' : `a ${type}`}` });
    return;
  }
  flat.fields[name] = Array.isArray(value) ? readItems(flat, field.kind, value, pointer) : value;
}

const unknown = (pointer: string, suggestion: string | undefined): FieldError => ({
  pointer,
  detail: 'is not a member of a listing',
  ...(suggestion !== undefined && { suggestion }),
});

/** `city` is meant as `address/city`. */
function nestedName(name: string): string | undefined {
  for (const [group, members] of GROUPS) if (members.includes(name)) return `${group}/${name}`;
  return undefined;
}

/** Items as maps read them: texts. */
function readItems(
  flat: FlatRecord & { readonly captions: Map<number, string> },
  kind: Kind,
  items: readonly unknown[],
  pointer: string,
): string[] {
  return items.map((item, at) => {
    const text = typeof item === 'string' ? item : isObject(item) ? itemText(flat, kind, item, at) : null;
    if (text !== null) return text;
    flat.errors.push({ pointer: `${pointer}/${at}`, detail: `must be ${ITEMS[kind] ?? 'a string'}` });
    return '';
  });
}

const ITEMS: Partial<Readonly<Record<Kind, string>>> = {
  urls: 'a URL, or an object with url and caption',
  amounts: 'an object with type and amount',
  intervals: 'an object with startsAt and endsAt',
};

function itemText(
  flat: FlatRecord & { readonly captions: Map<number, string> },
  kind: Kind,
  item: Record<string, unknown>,
  at: number,
): string | null {
  if (kind === 'urls') {
    const { url, caption = null, ...rest } = item;
    if (typeof url !== 'string' || Object.keys(rest).length > 0) return null;
    if (caption !== null && (typeof caption !== 'string' || caption.length > 500)) return null;
    if (caption !== null) flat.captions.set(at, caption);
    return url;
  }
  if (kind === 'amounts') {
    const { type, amount = null, ...rest } = item;
    if (typeof type !== 'string' || type.includes('=') || Object.keys(rest).length > 0) return null;
    if (amount === null) return type;
    return typeof amount === 'number' && amount >= 0 ? `${type}=${amount}` : null;
  }
  if (kind === 'intervals') {
    const { startsAt, endsAt = null, ...rest } = item;
    if (typeof startsAt !== 'string' || Object.keys(rest).length > 0) return null;
    if (endsAt !== null && typeof endsAt !== 'string') return null;
    return endsAt === null ? startsAt : `${startsAt}/${endsAt}`;
  }
  return null;
}

/** The map that reads each field from the member of its name. */
export function ownMap(
  source: ImportMap['source'],
  settings: {
    readonly currency?: string;
    readonly timeZone?: string;
    readonly displayDefault?: 'show' | 'withhold';
    readonly media?: MediaMode;
  },
): ImportMap {
  const { currency, timeZone, displayDefault, media } = settings;
  const fields = Object.fromEntries([...OWN.keys()].map((name) => [name, [{ column: name }]]));
  return {
    kind: 'listings',
    source,
    ...(timeZone !== undefined && { timeZone }),
    ...(displayDefault !== undefined && { displayDefault }),
    ...(media !== undefined && { media }),
    fields: {
      ...fields,
      currency: [{ column: 'currency', ...(currency !== undefined && { default: currency }) }],
      [MODIFIED_FIELD]: [{ column: MODIFIED_AT }],
    },
    digest: Buffer.alloc(0),
  };
}

/** The pointer to the member that a field is read from. */
export const pointerOf = (column: string): string =>
  column.split('.').reduce((parent, name) => pointerTo(name, parent), '');

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
