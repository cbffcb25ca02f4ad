// Operators' overrides: fields and values of a source under other names than the dictionary's, and whether their names are known.

import { nearest } from '../../../lib/nearest.ts';
import { isRecord, type UpstreamRecord } from './decode.ts';
import { dictionaryValues, fold } from './enumerations.ts';
import { PROPERTY_FIELDS } from './property-fields.ts';

/** The source's name of a field -> that of the dictionary. */
export type FieldNames = Readonly<Record<string, string>>;
/** The dictionary's name of a field -> a value of the source -> that of the dictionary. */
export type ValueNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Ids of listings are derived from them. */
const KEYS: readonly string[] = ['ListingKey', 'ListingKeyNumeric'];
/** Fields of children whose values are enumerated. */
const OF_CHILDREN: readonly string[] = ['MediaCategory', 'OpenHouseType', 'OpenHouseStatus'];
const CHILDREN: readonly string[] = ['Media', 'OpenHouse', 'OpenHouses'];

/** Every fault of overrides, one sentence each, which begins with the path of the member. */
export function overrideFaults(fields: FieldNames, enumerations: ValueNames): string[] {
  const faults: string[] = [];
  const other = PROPERTY_FIELDS.filter((name) => !KEYS.includes(name));
  for (const [own, name] of Object.entries(fields))
    if (KEYS.includes(name) || KEYS.includes(own))
      faults.push(`fields.${own}: ids of listings are derived from ListingKey, which stays`);
    else if (!other.includes(name))
      faults.push(`fields.${own}: ${name} is no field that is read${hint(name, other)}`);
  for (const [field, values] of Object.entries(enumerations)) {
    const known = [...other, ...OF_CHILDREN];
    if (!known.includes(field)) {
      faults.push(`enumerations.${field} is no field that is read${hint(field, known)}`);
      continue;
    }
    const allowed = dictionaryValues(field);
    for (const [own, value] of Object.entries(values))
      if (allowed.length > 0 && !allowed.some((each) => fold(each) === fold(value)))
        faults.push(`enumerations.${field}.${own}: ${value} is no value of ${field}${hint(value, allowed)}`);
  }
  return faults;
}

function hint(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** The function that gives a record the dictionary's names; a field that has no value stays as it was. */
export function dictionaryNames(
  fields: FieldNames,
  enumerations: ValueNames,
): (record: UpstreamRecord) => UpstreamRecord {
  const names = Object.entries(fields);
  const values = Object.entries(enumerations).map(
    ([field, own]) =>
      [field, new Map(Object.entries(own).map(([value, name]) => [fold(value), name]))] as const,
  );
  if (names.length + values.length === 0) return (record) => record;
  return (record) => {
    const renamed: Record<string, unknown> = { ...record };
    for (const [own, name] of names)
      if (record[own] !== undefined && record[own] !== null) renamed[name] = record[own];
    nameValues(renamed, values);
    for (const child of CHILDREN) {
      const children = renamed[child];
      if (Array.isArray(children))
        renamed[child] = children.map((item: unknown) =>
          isRecord(item) ? nameValues({ ...item }, values) : item,
        );
    }
    return renamed;
  };
}

type OwnValues = readonly (readonly [field: string, names: ReadonlyMap<string, string>])[];

/** Changes the values of a record, which may be lists, or values between commas. */
function nameValues(record: Record<string, unknown>, values: OwnValues): UpstreamRecord {
  for (const [field, names] of values) {
    const value = record[field];
    const named = (text: string): string => names.get(fold(text)) ?? text;
    if (typeof value === 'string')
      record[field] = names.get(fold(value)) ?? value.split(',').map(named).join(',');
    else if (Array.isArray(value))
      record[field] = value.map((item: unknown) => (typeof item === 'string' ? named(item) : item));
  }
  return record;
}
