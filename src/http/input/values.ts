// Parameter values: a JSON schema compiled to a strict parser of one text, without coercion.

import type { TSchema } from 'typebox';
import { nearest } from '../../lib/nearest.ts';

/** The part of JSON Schema that a parameter may use; anything else fails at startup. */
export interface ValueSchema {
  readonly type?: string;
  readonly enum?: readonly Scalar[];
  readonly const?: Scalar;
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  /** A form that has no plain pattern, which code checks: clients and models of other vendors refuse schemas with others. */
  readonly form?: 'range';
  readonly default?: unknown;
  readonly description?: string;
  /** Other names of the parameter; the value lands under the main name. */
  readonly aliases?: readonly string[];
  /** Names that other APIs use: not accepted, but suggested. */
  readonly hints?: readonly string[];
  /** Other words for enumeration members, in lower case: not accepted, but suggested. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Enumeration members match in any case and become that of the schema. */
  readonly caseInsensitive?: boolean;
  /** A boolean that may be set by its name alone, as in `?verbose`. */
  readonly flag?: boolean;
  /** Further forms in a JSON body: GeoJSON, or a list of numbers. */
  readonly written?: 'geometry' | 'numbers';
  /** For operators; left out of the OpenAPI document. */
  readonly internal?: boolean;
  /** Separator of list items within one occurrence; null: repetition only. Default a comma. */
  readonly separator?: string | null;
}

type Scalar = string | number | boolean;

/** A rejected value; the detail follows the parameter's name. */
export class ValueError {
  readonly detail: string;
  readonly suggestion: string | undefined;

  constructor(detail: string, suggestion?: string) {
    this.detail = detail;
    this.suggestion = suggestion;
  }
}

/** Parses one decoded text: the value, or a ValueError that says what is expected. */
export type ReadValue = (text: string) => unknown;

/** Maximum length of a text whose schema has none, so that patterns stay cheap. */
const MAX_TEXT_LENGTH = 512;

// JSON's own number grammar without the exponent, and few enough digits to be exact.
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,22})?$/;

const FORMATS: Readonly<Record<string, { readonly test: (text: string) => boolean; readonly name: string }>> =
  {
    date: { test: isDate, name: 'a date such as 2026-03-31' },
    'date-time': { test: isDateTime, name: 'a time such as 2026-03-31T12:00:00Z' },
    uuid: { test: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text), name: 'a UUID' },
  };

/** `100:200`, `100:`, `:200`, `*:200`, `100`. */
const RANGE = /^(?=.*\d)(?:\*|\d{1,12}(?:\.\d{1,9})?)?(?::(?:\*|\d{1,12}(?:\.\d{1,9})?)?)?$/;

const FORMS: Readonly<Record<NonNullable<ValueSchema['form']>, { test: RegExp; name: string }>> = {
  range: { test: RANGE, name: 'a range such as 2:4, 2: or *:4, or one number in plain decimal digits' },
};

/** Compiles the parser of a single value. Throws if the schema uses an unsupported keyword. */
export function compileValue(schema: ValueSchema): ReadValue {
  const members = membersOf(schema);
  if (members !== null) return compileMembers(members, schema);
  if (schema.anyOf !== undefined) return compileAlternatives(schema.anyOf.map(asValueSchema));
  if (schema.type === 'integer' || schema.type === 'number') return compileNumber(schema);
  if (schema.type === 'boolean') return schema.flag === true ? readFlag : readBoolean;
  if (schema.type === 'string') return compileText(schema);
  throw new Error(`A parameter cannot have the schema ${JSON.stringify(schema)}`);
}

/** The same object as a ValueSchema: TypeBox types hide the JSON Schema keywords that they carry. */
export function asValueSchema(schema: TSchema): ValueSchema {
  return schema as ValueSchema;
}

/** Whether a parameter is for operators: accepted, but left out of the OpenAPI document. */
export const isInternal = (schema: TSchema): boolean => asValueSchema(schema).internal === true;

/** Members of an enumeration (enum, const, or a union of literals), or null. */
export function membersOf(schema: ValueSchema): readonly Scalar[] | null {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum;
  const members: Scalar[] = [];
  for (const option of schema.anyOf ?? []) {
    const of = membersOf(asValueSchema(option));
    if (of === null) return null;
    members.push(...of);
  }
  return members.length > 0 ? members : null;
}

function compileMembers(
  members: readonly Scalar[],
  { caseInsensitive = false, synonyms = {} }: ValueSchema,
): ReadValue {
  const fold = (text: string) => (caseInsensitive ? text.toLowerCase() : text);
  const byText = new Map(members.map((member) => [fold(String(member)), member]));
  const texts = members.map(String);
  const detail = texts.length === 1 ? `must be ${texts[0]}` : `must be one of ${texts.join(', ')}`;
  const meant = new Map(Object.entries(synonyms));
  return (text) =>
    byText.get(fold(text)) ?? new ValueError(detail, meant.get(text.toLowerCase()) ?? nearest(text, texts));
}

function compileAlternatives(options: readonly ValueSchema[]): ReadValue {
  const readers = options.map(compileValue);
  return (text) => {
    const details: string[] = [];
    for (const read of readers) {
      const value = read(text);
      if (!(value instanceof ValueError)) return value;
      details.push(value.detail);
    }
    return new ValueError(details.join(', or '));
  };
}

function compileNumber(schema: ValueSchema): ReadValue {
  const grammar = schema.type === 'integer' ? INTEGER : NUMBER;
  const min = schema.minimum ?? Number.NEGATIVE_INFINITY;
  const max = schema.maximum ?? Number.POSITIVE_INFINITY;
  const above = schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY;
  const below = schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY;
  const refusal = new ValueError(describeNumber(schema));
  return (text) => {
    if (!grammar.test(text)) return refusal;
    const value = Number(text);
    if (value < min || value > max || value <= above || value >= below) return refusal;
    return value === 0 ? 0 : value; // never -0
  };
}

function describeNumber(schema: ValueSchema): string {
  const bounds = [
    schema.minimum === undefined ? '' : `at least ${schema.minimum}`,
    schema.exclusiveMinimum === undefined ? '' : `above ${schema.exclusiveMinimum}`,
    schema.maximum === undefined ? '' : `at most ${schema.maximum}`,
    schema.exclusiveMaximum === undefined ? '' : `below ${schema.exclusiveMaximum}`,
  ].filter((bound) => bound !== '');
  const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
  const range = bounds.length === 0 ? '' : `, ${bounds.join(' and ')}`;
  return `must be ${kind} in plain decimal digits${range}`;
}

function readBoolean(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  return new ValueError('must be true or false');
}

function readFlag(text: string): unknown {
  return text === '' ? true : readBoolean(text);
}

function compileText(schema: ValueSchema): ReadValue {
  const min = schema.minLength ?? 1;
  const max = schema.maxLength ?? MAX_TEXT_LENGTH;
  const pattern = schema.pattern === undefined ? null : new RegExp(schema.pattern, 'u');
  const format = formatOf(schema);
  const form = schema.form === undefined ? null : FORMS[schema.form];
  const hint = schema.description === undefined ? '' : ` (${schema.description})`;
  return (text) => {
    if (text.length === 0 && min > 0) return new ValueError('must not be empty');
    if (text.length < min) return new ValueError(`must have at least ${min} characters`);
    if (text.length > max) return new ValueError(`must have at most ${max} characters`);
    if (text.includes('\0')) return new ValueError('must not contain the character NUL');
    if (format !== null && !format.test(text)) return new ValueError(`must be ${format.name}`);
    if (form !== null && !form.test.test(text)) return new ValueError(`must be ${form.name}`);
    if (pattern !== null && !pattern.test(text)) return new ValueError(`must have the expected form${hint}`);
    return text;
  };
}

function formatOf(schema: ValueSchema) {
  if (schema.format === undefined) return null;
  const format = FORMATS[schema.format];
  if (format === undefined) throw new Error(`A parameter cannot have the format ${schema.format}`);
  return format;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // The round trip refuses days that a calendar does not have, such as 30 February.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.exec(text);
  return match?.[1] !== undefined && isDate(match[1]) && !Number.isNaN(Date.parse(text));
}
