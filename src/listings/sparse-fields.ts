// Sparse fields: the parts of a record that `fields` selects, with paths and slices.

import { LRUCache } from 'lru-cache';
import { nearest } from '../lib/nearest.ts';
import { invalidParameter } from '../lib/problem.ts';
import { MEMBERS_BY_INCLUDE } from './record.ts';

/** One selected part: keys from the outside in, and the maximum number of items if it is a list. */
interface FieldPath {
  readonly keys: readonly string[];
  readonly items: number | null;
}

/** A parsed `fields` parameter; null selects everything. */
export type Fields = readonly FieldPath[] | null;

const FORM = /^[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z][A-Za-z0-9]*){0,3}(?:\[(\d{1,3})\])?$/;

/** The parts of a JSON schema that define its keys. */
interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
}

/**
 * Parses `id,price,address.city,photos[1]`: a path picks a part (of every item, in a list), `[n]` keeps the first n
 * items; `summary` picks the short record. Throws INVALID_PARAMETER for what the record does not have, or has only if `include` named it.
 */
export function parseFields(
  paths: readonly string[] | undefined,
  schema: object,
  include: readonly string[] = [],
): Fields {
  if (paths === undefined) return null;
  const key = JSON.stringify([paths, include]);
  const parsed = parsedOf(schema);
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const fields = parsePaths(expandSummaries(paths), schema, include);
  parsed.set(key, fields);
  return fields;
}

/** Programs ask for the same parts again and again. */
const MAX_PARSED = 200;
const parsedBySchema = new WeakMap<object, LRUCache<string, readonly FieldPath[]>>();

function parsedOf(schema: object): LRUCache<string, readonly FieldPath[]> {
  const known = parsedBySchema.get(schema);
  if (known !== undefined) return known;
  const created = new LRUCache<string, readonly FieldPath[]>({ max: MAX_PARSED });
  parsedBySchema.set(schema, created);
  return created;
}

function parsePaths(
  paths: readonly string[],
  schema: object,
  include: readonly string[],
): readonly FieldPath[] {
  const fields = paths.map((path) => {
    const match = FORM.exec(path);
    if (!match)
      throw invalidParameter('fields', `${quoted(path)} is not of the form name, name.part or name[count]`);
    const keys = path.replace(/\[.*$/, '').split('.');
    const end = checkKeys(keys, schema);
    requireInclude(keys, include);
    const items = match[1] === undefined ? null : Number(match[1]);
    if (items !== null && !isList(end)) throw invalidParameter('fields', `${quoted(path)} is not a list`);
    return { keys, items };
  });
  rejectOverlaps(fields);
  return fields;
}

/** Members that `include` adds cannot be selected without it. */
function requireInclude(keys: readonly string[], include: readonly string[]): void {
  for (const [part, members] of Object.entries(MEMBERS_BY_INCLUDE)) {
    if (include.includes(part) || !keys.some((key) => members.includes(key))) continue;
    throw invalidParameter(
      'fields',
      `${quoted(keys.join('.'))} needs include=${part}: add that to the request`,
    );
  }
}

/** Overlapping parts are an error, since one of them would be ignored. */
function rejectOverlaps(fields: readonly FieldPath[]): void {
  const items = new Map<string, number | null>();
  for (const field of fields) {
    const name = field.keys.join('.');
    if (items.has(name) && items.get(name) !== field.items) throw overlap(name, name);
    items.set(name, field.items);
  }
  for (const { keys } of fields)
    for (let end = 1; end < keys.length; end++) {
      const outer = keys.slice(0, end).join('.');
      if (items.has(outer)) throw overlap(outer, keys.join('.'));
    }
}

const overlap = (one: string, other: string) =>
  invalidParameter('fields', `asks for ${quoted(one)} and ${quoted(other)}, which overlap`);

/** Walks the schema along the keys; returns where it ends. */
function checkKeys(keys: readonly string[], schema: unknown): unknown {
  let at: unknown = schema;
  for (const key of keys) {
    const properties = propertiesOf(at);
    if (!Object.hasOwn(properties, key)) {
      throw invalidParameter(
        'fields',
        `there is no field ${quoted(keys.join('.'))}`,
        nearest(key, Object.keys(properties)),
      );
    }
    at = properties[key];
  }
  return at;
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const shape = schema as Shape;
  if (shape.properties) return shape.properties;
  if (shape.items) return propertiesOf(shape.items);
  const inner = shape.anyOf?.find((option) => Object.keys(propertiesOf(option)).length > 0);
  return inner ? propertiesOf(inner) : {};
}

const isList = (schema: unknown): boolean => (schema as Shape).items !== undefined;

const quoted = (text: string): string => `"${text.slice(0, 80)}"`;

/** What no selection leaves out: display rules of sources ask for both beside whatever is shown of a listing. */
export const CREDITS = ['attribution', 'fetchedAt'] as const;

/** The selected parts of a record. `id`, `object` and the credits of each listing that a part is of are always included. */
export function selectFields(
  record: Readonly<Record<string, unknown>>,
  fields: Fields,
): Record<string, unknown> {
  if (fields === null) return record;
  const out: Record<string, unknown> = {};
  for (const key of ['id', 'object']) if (key in record) out[key] = record[key];
  for (const field of fields) copy(record, out, field.keys, field.items);
  credit(record, out);
  return out;
}

/** Adds the credits of a record, or of the listing that it is about. */
function credit(from: Readonly<Record<string, unknown>>, to: Record<string, unknown>): void {
  for (const key of CREDITS) if (key in from) to[key] = from[key];
  const { listing } = from;
  if (!isRecord(listing) || !('attribution' in listing)) return;
  const target = isRecord(to.listing) ? to.listing : {};
  credit(listing, target);
  to.listing = target;
}

function copy(
  from: Readonly<Record<string, unknown>>,
  to: Record<string, unknown>,
  keys: readonly string[],
  items: number | null,
): void {
  const [key, ...rest] = keys;
  if (key === undefined || !(key in from)) return;
  const value = from[key];
  if (rest.length === 0) to[key] = items !== null && Array.isArray(value) ? value.slice(0, items) : value;
  else if (Array.isArray(value))
    to[key] = value.map((item, place) => into(item, (to[key] as unknown[])?.[place], rest, items));
  else to[key] = isRecord(value) ? into(value, to[key], rest, items) : value;
}

function into(value: unknown, existing: unknown, keys: readonly string[], items: number | null): unknown {
  if (!isRecord(value)) return value;
  const target = isRecord(existing) ? existing : {};
  copy(value, target, keys, items);
  credit(value, target);
  return target;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The last key of a path that selects the short record of a listing: `summary`, or `currentListing.summary`. */
const SUMMARY = 'summary';

/** Its members. */
const SUMMARY_FIELDS: readonly string[] = [
  'id',
  'object',
  'propertyId',
  'listingType',
  'status',
  'price',
  'currency',
  'priceFrequency',
  'closePrice',
  'closedAt',
  'propertyType',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'areaUnit',
  'yearBuilt',
  'address.full',
  'address.neighborhood',
  'daysOnMarket',
  'attribution',
  'fetchedAt',
];

/** The paths, with the members of a short record in place of each `summary`. */
function expandSummaries(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (path !== SUMMARY && !path.endsWith(`.${SUMMARY}`)) return [path];
    const prefix = path.slice(0, -SUMMARY.length);
    return SUMMARY_FIELDS.map((field) => `${prefix}${field}`);
  });
}
