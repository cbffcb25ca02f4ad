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
export const OF_CHILDREN: readonly string[] = ['MediaCategory', 'OpenHouseType', 'OpenHouseStatus'];
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

/** What a value of one field means by the lookups of the source; undefined: they do not say. */
type OwnMeanings = (sent: string) => { readonly text: string; readonly value: string } | undefined;

/**
 * The function that gives a record the dictionary's names; a field that has no value stays as it was. Of a value counts, in whichever
 * spelling it is sent, what the operator says of it, else what the lookups of its source say; the rest is for the mapping.
 */
export function dictionaryNames(
  fields: FieldNames,
  enumerations: ValueNames,
  meanings: ReadonlyMap<string, OwnMeanings> = new Map(),
): (record: UpstreamRecord) => UpstreamRecord {
  const names = Object.entries(fields);
  const values = [...new Set([...Object.keys(enumerations), ...meanings.keys()])].map(
    (field) => [field, nameIn(enumerations[field] ?? {}, meanings.get(field))] as const,
  );
  const ofChildren = values.filter(([field]) => OF_CHILDREN.includes(field));
  if (names.length + values.length === 0) return (record) => record;
  return (record) => {
    const renamed: Record<string, unknown> = { ...record };
    for (const [own, name] of names)
      if (record[own] !== undefined && record[own] !== null) renamed[name] = record[own];
    nameValues(renamed, values);
    if (ofChildren.length === 0) return renamed;
    for (const child of CHILDREN) {
      const children = renamed[child];
      if (Array.isArray(children))
        renamed[child] = children.map((item: unknown) =>
          isRecord(item) ? nameValues({ ...item }, ofChildren) : item,
        );
    }
    return renamed;
  };
}

type NameOf = (text: string) => string | undefined;
type OwnValues = readonly (readonly [field: string, nameOf: NameOf])[];

/** The name of a value; undefined: nobody says. */
function nameIn(own: Readonly<Record<string, string>>, meaningOf: OwnMeanings | undefined): NameOf {
  const names = new Map(Object.entries(own).map(([value, name]) => [fold(value), name]));
  return (text) => {
    const stated = names.get(fold(text));
    if (stated !== undefined || meaningOf === undefined) return stated;
    const meaning = meaningOf(text);
    return meaning && (names.get(fold(meaning.text)) ?? names.get(fold(meaning.value)) ?? meaning.value);
  };
}

/** Changes the values of a record, which may be lists, or values between commas. */
function nameValues(record: Record<string, unknown>, values: OwnValues): UpstreamRecord {
  for (const [field, nameOf] of values) {
    const value = record[field];
    const named = (text: string): string => nameOf(text) ?? text;
    if (typeof value === 'string')
      record[field] = nameOf(value) ?? (value.includes(',') ? value.split(',').map(named).join(',') : value);
    else if (Array.isArray(value))
      record[field] = value.map((item: unknown) => (typeof item === 'string' ? named(item) : item));
  }
  return record;
}
