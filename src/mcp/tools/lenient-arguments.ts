// Arguments as hosts of agents send them: JSON as text, numbers and booleans as text, one value for a list, null or "" for none.

import { parseJson } from '../../http/input/body.ts';
import type { Json } from './tool-row.ts';

/** JSON's number grammar without the exponent; more digits would not be exact. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;

/** Lists whose values have no comma, beside those of enumerations and numbers: `price,-listedAt`. */
const COMMA_LISTS = new Set(['features', 'fields', 'metrics', 'sort', 'status', 'events']);

/** Longest text that is read as JSON. */
const MAX_JSON = 32_768;

/**
 * The arguments in the types of their schemas wherever what was sent has one meaning; anything else stays for the strict reader
 * to refuse. Those that say nothing (null, "", an empty list) are left out.
 */
export function normalizeArguments(args: Json, schemaOf: (name: string) => unknown): Json {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => {
      const normal = normalize(value, { name, schema: toJson(schemaOf(name)) });
      return isUnused(normal) ? [] : [[name, normal]];
    }),
  );
}

interface Place {
  readonly name: string;
  readonly schema: Json;
}

function normalize(value: unknown, { name, schema }: Place): unknown {
  const options = optionsOf(schema);
  const list = options.find(({ type }) => type === 'array');
  if (list !== undefined) return normalizeList(value, { name, schema: list });
  if (options.some(({ type }) => type === 'object')) return normalizeObject(value, options);
  if (schema.written !== undefined) return fromJson(value);
  return normalizeScalar(Array.isArray(value) && value.length === 1 ? value[0] : value, options);
}

function normalizeScalar(value: unknown, options: readonly Json[]): unknown {
  const takes = (...types: string[]) => options.some(({ type }) => types.includes(String(type)));
  if (typeof value !== 'string')
    return takes('string') && !takes('integer', 'number', 'boolean') ? textOf(value) : value;
  const text = value.trim();
  if (takes('integer', 'number') && NUMBER.test(text)) return Number(text);
  if (takes('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return value;
}

/** A number or a boolean where a text is asked for, such as the postal code 97201. */
function textOf(value: unknown): unknown {
  const isPlain = typeof value === 'boolean' || Number.isSafeInteger(value);
  return isPlain ? String(value) : value;
}

function normalizeList(value: unknown, { name, schema }: Place): unknown {
  const items = toJson(schema.items);
  const parsed = fromJson(value);
  const isSplit = COMMA_LISTS.has(name) || optionsOf(items).some(isClosed);
  const list = Array.isArray(parsed)
    ? parsed
    : isSplit && typeof parsed === 'string'
      ? parsed.split(',')
      : [parsed];
  return list
    .map((item) =>
      normalize(isSplit && typeof item === 'string' ? item.trim() : item, { name, schema: items }),
    )
    .filter((item) => !isUnused(item));
}

/** Whether values have no comma: those of an enumeration, or numbers. */
const isClosed = (schema: Json): boolean =>
  schema.enum !== undefined || schema.type === 'integer' || schema.type === 'number';

function normalizeObject(value: unknown, options: readonly Json[]): unknown {
  const object = fromJson(value);
  if (!isJson(object)) return object;
  const members = new Set(options.flatMap(({ properties }) => Object.keys(toJson(properties))));
  // Members without a schema are the caller's own, such as those of metadata.
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, member]) => {
      if (!members.has(name)) return [[name, member]];
      const schemas = options.map(({ properties }) => toJson(toJson(properties)[name]));
      const normal = normalize(member, {
        name,
        schema: { anyOf: schemas.filter((one) => Object.keys(one).length > 0) },
      });
      return isUnused(normal) ? [] : [[name, normal]];
    }),
  );
}

const encoder = new TextEncoder();

/** The list or object that a text has as JSON, which is as strict as that of bodies; anything else stays. */
function fromJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_JSON || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJson(encoder.encode(value));
  } catch {
    return value;
  }
}

const isUnused = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The schemas of which one holds, without null; those of enumerations have the type of their values. */
function optionsOf(schema: Json): readonly Json[] {
  const options = Array.isArray(schema.anyOf)
    ? schema.anyOf.flatMap((option) => optionsOf(toJson(option)))
    : [schema];
  return options
    .map((option) =>
      option.type === undefined && option.const !== undefined ? { ...option, type: 'string' } : option,
    )
    .filter(({ type }) => type !== 'null');
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toJson = (value: unknown): Json => (isJson(value) ? value : {});
