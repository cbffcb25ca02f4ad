// Table of a schema's parameters, by which queries and JSON bodies are read alike: names, aliases, defaults, lists, faults.

import type { TObject } from 'typebox';
import { nearest, type Suggest } from '../../lib/nearest.ts';
import type { FieldError, Problem } from '../../lib/problem.ts';
import { CREDENTIAL_REMEDY, isCredentialName } from './credential-names.ts';
import { MAX_FAULTS, UnreadParameters } from './parameter-problem.ts';
import { asValueSchema, ValueError, type ValueSchema } from './values.ts';

const MAX_ITEMS = 100;

/** How a query or a body writes parameters; `Sent` is what it has under one name. */
export interface ParameterForm<Sent> {
  /** Compiles the parser of one parameter, which gives its value or a ValueError. */
  compile(schema: ValueSchema): (sent: Sent) => unknown;
  /** What is wrong with a name that the table of so many names does not have. */
  unknown(names: number, suggestion: string | undefined): ValueError;
  /** The fault of a parameter under the name that was sent. */
  fault(name: string, error: ValueError): FieldError;
  problem(errors: readonly FieldError[]): Problem;
}

/**
 * Reads parameters in the order sent; `faults` are those found before. Throws UnreadParameters with all faults, at most twenty,
 * and with the values that could be read.
 */
export type ReadEntries<Sent> = (
  entries: Iterable<readonly [name: string, sent: Sent]>,
  faults?: readonly FieldError[],
) => Record<string, unknown>;

interface Parameter<Sent> {
  readonly name: string;
  readonly required: boolean;
  readonly read: (sent: Sent) => unknown;
}

/** Compiles the reader of a schema; without one every name is unknown. */
export function compileParameterTable<Sent>(
  form: ParameterForm<Sent>,
  schema?: TObject,
  suggest: Suggest = nearest,
): ReadEntries<Sent> {
  const parameters = new Map<string, Parameter<Sent>>();
  const namedAsRequired = new Set(schema?.required ?? []);
  const defaults: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const value = asValueSchema(property);
    if (value.default !== undefined) defaults[name] = value.default;
    const required = namedAsRequired.has(name) && value.default === undefined;
    const parameter = { name, required, read: form.compile(value) };
    for (const alias of [name, ...(value.aliases ?? [])]) {
      if (parameters.has(alias)) throw new Error(`Two parameters are called ${alias}`);
      parameters.set(alias, parameter);
    }
  }
  const required = [...new Set(parameters.values().filter((parameter) => parameter.required))];
  const suggestOrHint = withHints(schema, suggest);
  const unknown = (name: string): ValueError => {
    if (isCredentialName(name)) return new ValueError(CREDENTIAL_REMEDY);
    const suggestion = parameters.size === 0 ? undefined : suggestOrHint(name, parameters.keys());
    return form.unknown(parameters.size, suggestion);
  };
  return (entries, faults = []) => {
    const errors = [...faults];
    const values: Record<string, unknown> = { ...defaults };
    const nameSent = new Map<Parameter<Sent>, string>();
    const unread: string[] = [];
    for (const [name, sent] of entries) {
      if (errors.length >= MAX_FAULTS) break;
      const parameter = parameters.get(name);
      if (parameter === undefined) {
        errors.push(form.fault(name, unknown(name)));
        continue;
      }
      const other = nameSent.get(parameter);
      const value = other === undefined ? parameter.read(sent) : sameAs(other);
      nameSent.set(parameter, name);
      if (value instanceof ValueError) {
        errors.push(form.fault(name, value));
        unread.push(parameter.name);
      } else values[parameter.name] = value;
    }
    for (const parameter of required)
      if (!nameSent.has(parameter)) errors.push(form.fault(parameter.name, new ValueError('is required')));
    if (errors.length > 0) throw new UnreadParameters(form.problem(errors), values, unread);
    return values;
  };
}

const sameAs = (other: string) => new ValueError(`means the same as ${other}: send only one of them`);

/** Adds the schema's hints, in any case, to the suggestions. */
export function withHints(schema: TObject | undefined, suggest: Suggest): Suggest {
  const hints = new Map(
    Object.entries(schema?.properties ?? {}).flatMap(([name, property]) =>
      (asValueSchema(property).hints ?? []).map((hint): [string, string] => [hint.toLowerCase(), name]),
    ),
  );
  return (name, known) => hints.get(name.toLowerCase()) ?? suggest(name, known);
}

/** The parameter of each name that a schema knows, aliases included. */
export function parametersByName(schema: TObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(schema.properties).flatMap(([name, property]) =>
      [name, ...(asValueSchema(property).aliases ?? [])].map((alias) => [alias, name] as const),
    ),
  );
}

/** The schema of a list's items; null for a single value. */
export function itemSchema(schema: ValueSchema): ValueSchema | null {
  if (schema.type !== 'array' || schema.items === undefined) return null;
  const { caseInsensitive = false } = schema;
  return { caseInsensitive, ...asValueSchema(schema.items) };
}

/** The values of a list, or the first error among them; lists that are too short or too long are not read. */
export function readItems<Item>(
  schema: ValueSchema,
  items: readonly Item[],
  read: (item: Item) => unknown,
): readonly unknown[] | ValueError {
  const { minItems = 1, maxItems = MAX_ITEMS } = schema;
  if (items.length < minItems) return new ValueError(`needs at least ${minItems} values`);
  if (items.length > maxItems) return new ValueError(`allows at most ${maxItems} values`);
  const values: unknown[] = [];
  for (const item of items) {
    const value = read(item);
    if (value instanceof ValueError) return value;
    if (schema.uniqueItems === true && values.includes(value))
      return new ValueError('contains a value twice');
    values.push(value);
  }
  return values;
}

/** A fault as an error of the field that `name` names. */
export function fieldError(
  name: { readonly parameter: string } | { readonly pointer: string },
  { detail, suggestion }: ValueError,
): FieldError {
  return suggestion === undefined ? { ...name, detail } : { ...name, detail, suggestion };
}
