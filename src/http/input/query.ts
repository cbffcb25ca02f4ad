// Strict parsers of path and query parameters, compiled from a route's schema, and of URL-encoded pairs; each error names its parameter.

import type { TObject } from 'typebox';
import { redact } from '../../lib/log.ts';
import { nearest, type Suggest } from '../../lib/nearest.ts';
import { decodeFormText } from '../../lib/parse.ts';
import { type FieldError, faultSentence, PROBLEMS, Problem, type ProblemCode } from '../../lib/problem.ts';
import { CREDENTIAL_REMEDY, isCredentialName } from './credential-names.ts';
import { splitList } from './list-text.ts';
import { UnreadParameters } from './unread-parameters.ts';
import { asValueSchema, compileValue, type ReadValue, ValueError, type ValueSchema } from './values.ts';

/** A query string split into pairs, not validated yet. */
export type ParsedQuery = { readonly pairs: readonly EncodedPair[] | null };

/** Parses the parameters. Throws INVALID_PARAMETER with every invalid one in `errors`. */
export type ReadQuery = (query: ParsedQuery) => Record<string, unknown>;

const MAX_PARAMETERS = 200;
const MAX_ITEMS = 100;
/** Maximum number of errors reported; parsing stops there. */
export const MAX_FAULTS = 20;

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly read: (texts: readonly string[]) => unknown;
}

/** Splits a query string into pairs. Never throws. */
export function parseQuery(text: string): ParsedQuery {
  return { pairs: splitPairs(text, MAX_PARAMETERS) };
}

/** Compiles the parser of a query string. */
export function compileQuery(schema?: TObject, suggest?: Suggest): (text: string) => Record<string, unknown> {
  const read = compileParsedQuery(schema, suggest);
  return (text) => read(parseQuery(text));
}

/** Compiles the parser of one route; without a schema every parameter is unknown. */
export function compileParsedQuery(schema?: TObject, suggest: Suggest = nearest): ReadQuery {
  const parameters = new Map<string, Parameter>();
  const named = new Set(schema?.required ?? []);
  const defaults: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const value = asValueSchema(property);
    if (value.default !== undefined) defaults[name] = value.default;
    const isRequired = named.has(name) && value.default === undefined;
    const parameter = { name, required: isRequired, read: compileOccurrences(value) };
    for (const alias of [name, ...(value.aliases ?? [])]) register(parameters, alias, parameter);
  }
  const hinting = withHints(schema, suggest);
  const required = [...new Set(parameters.values().filter((parameter) => parameter.required))];
  return (query) => readAll(query, parameters, { defaults, required, suggest: hinting });
}

/** Adds the schema's hints, in any case, to the suggestions. */
export function withHints(schema: TObject | undefined, suggest: Suggest): Suggest {
  const hints = new Map(
    Object.entries(schema?.properties ?? {}).flatMap(([name, property]) =>
      (asValueSchema(property).hints ?? []).map((hint): [string, string] => [hint.toLowerCase(), name]),
    ),
  );
  return (name, known) => hints.get(name.toLowerCase()) ?? suggest(name, known);
}

function register(parameters: Map<string, Parameter>, name: string, parameter: Parameter): void {
  if (parameters.has(name)) throw new Error(`Two parameters are called ${name}`);
  parameters.set(name, parameter);
}

interface QueryOptions {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly required: readonly Parameter[];
  readonly suggest: Suggest;
}

function readAll(
  query: ParsedQuery,
  parameters: ReadonlyMap<string, Parameter>,
  { defaults, required, suggest }: QueryOptions,
): Record<string, unknown> {
  const errors: FieldError[] = [];
  const occurrences = collect(query, parameters, suggest, errors);
  const values: Record<string, unknown> = { ...defaults };
  const unread: string[] = [];
  for (const [sent, texts] of occurrences) {
    if (errors.length >= MAX_FAULTS) break;
    const parameter = parameters.get(sent);
    if (parameter === undefined) continue;
    const other = [...occurrences.keys()].find((name) => name < sent && parameters.get(name) === parameter);
    if (other !== undefined) {
      errors.push({ parameter: sent, detail: `means the same as ${other}: send only one of them` });
      continue;
    }
    const value = parameter.read(texts);
    if (value instanceof ValueError) {
      errors.push(fieldError(sent, value));
      unread.push(parameter.name);
    } else values[parameter.name] = value;
  }
  reportMissing(required, parameters, occurrences, errors);
  if (errors.length > 0) throw new UnreadParameters(parameterProblem(errors), values, unread);
  return values;
}

/** The texts of each name, in order. Unknown names and undecodable texts become errors. */
function collect(
  { pairs }: ParsedQuery,
  parameters: ReadonlyMap<string, Parameter>,
  suggest: Suggest,
  errors: FieldError[],
): Map<string, string[]> {
  if (pairs === null)
    throw new Problem('INVALID_PARAMETER', `A request may have at most ${MAX_PARAMETERS} parameters.`);
  const readable: Pair[] = [];
  for (const { text, name, value } of pairs) {
    if (errors.length === MAX_FAULTS) break;
    if (name === null || value === null) {
      errors.push({ parameter: shorten(name ?? text), detail: 'has a %-escape that is not valid UTF-8' });
      continue;
    }
    if (!parameters.has(name)) errors.push(unknown(name, parameters, suggest));
    readable.push([name, value]);
  }
  return groupPairs(readable);
}

function unknown(name: string, parameters: ReadonlyMap<string, Parameter>, suggest: Suggest): FieldError {
  const parameter = shorten(name);
  if (isCredentialName(name)) return { parameter, detail: CREDENTIAL_REMEDY };
  if (parameters.size === 0) return { parameter, detail: 'this endpoint takes no query parameters' };
  const suggestion = suggest(name, parameters.keys());
  const remedy = suggestion === 'cursor' ? ': send page.nextCursor of the previous page as cursor' : '';
  const detail = `is not known to this endpoint${remedy}`;
  return suggestion === undefined ? { parameter, detail } : { parameter, detail, suggestion };
}

function reportMissing(
  required: readonly Parameter[],
  parameters: ReadonlyMap<string, Parameter>,
  occurrences: ReadonlyMap<string, unknown>,
  errors: FieldError[],
): void {
  const isSent = (parameter: Parameter) =>
    occurrences.keys().some((name) => parameters.get(name) === parameter);
  for (const parameter of required)
    if (!isSent(parameter)) errors.push({ parameter: parameter.name, detail: 'is required' });
}

function fieldError(parameter: string, { detail, suggestion }: ValueError): FieldError {
  return suggestion === undefined ? { parameter, detail } : { parameter, detail, suggestion };
}

/** One problem for all invalid parameters; its detail describes the first, `errors` all (at most twenty). */
export function parameterProblem(errors: readonly FieldError[]): Problem {
  return fieldProblem(
    errors.slice(0, MAX_FAULTS),
    ({ parameter, pointer = '' }) => `The parameter ${parameter ?? pointer.slice(1)}`,
  );
}

/** One problem for all these errors; `subjectOf` names what is invalid. */
export function fieldProblem(
  errors: readonly FieldError[],
  subjectOf: (error: FieldError) => string,
  code: 'INVALID_PARAMETER' | 'INVALID_BODY' = 'INVALID_PARAMETER',
): Problem {
  const [first = { detail: 'is not valid' }, ...others] = errors;
  const more = others.length === 1 ? 'fault is' : 'faults are';
  const rest = others.length === 0 ? '' : ` ${others.length} more ${more} listed in errors.`;
  return new Problem(code, `${faultSentence(subjectOf(first), first)}${rest}`, { errors });
}

/** Compiles the parser of all occurrences of a parameter: exactly one for a single value, any number for a list. */
function compileOccurrences(schema: ValueSchema): (texts: readonly string[]) => unknown {
  if (schema.type === 'array' && schema.items !== undefined) {
    const { caseInsensitive = false } = schema;
    return compileList(schema, compileValue({ caseInsensitive, ...asValueSchema(schema.items) }));
  }
  const read = compileValue(schema);
  const twice = new ValueError('allows one value and has more than one');
  return ([text, ...more]) => (more.length > 0 || text === undefined ? twice : read(text));
}

function compileList(schema: ValueSchema, read: ReadValue): (texts: readonly string[]) => unknown {
  const separator = schema.separator === undefined ? ',' : schema.separator;
  const min = schema.minItems ?? 1;
  const max = schema.maxItems ?? MAX_ITEMS;
  return (texts) => {
    const lists = texts.map((text) => (separator === null ? [text] : splitList(text, separator)));
    if (lists.includes(null))
      return new ValueError(
        'has a quote that does not end: quote a value as a whole, and write "" for a quote in it',
      );
    const items = lists.flatMap((list) => list ?? []);
    if (items.length < min) return new ValueError(`needs at least ${min} values`);
    if (items.length > max) return new ValueError(`allows at most ${max} values`);
    const values: unknown[] = [];
    for (const item of items) {
      const value = read(item);
      if (value instanceof ValueError) return value;
      if (schema.uniqueItems === true && values.includes(value))
        return new ValueError('contains a value twice');
      values.push(value);
    }
    return values;
  };
}

/** A name as the client sent it, shortened and without secrets. */
function shorten(sent: string): string {
  const name = redact(sent);
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}

/** Parses the variables of a path. Throws a 404 for a value that its schema rejects. */
export type ReadParameters = (raw: Readonly<Record<string, string>>) => Record<string, unknown>;

/** Schema keyword of a path parameter: the problem code of the 404 for a malformed value. */
export interface Missing {
  readonly missing?: ProblemCode;
}

/** Compiles the parser of a route's path parameters. */
export function compileParameters(path: string, schema?: TObject): ReadParameters {
  const properties = Object.entries(schema?.properties ?? {});
  const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  const described = properties.map(([name]) => name);
  if (named.join() !== described.join()) {
    throw new Error(`${path} has the variable parts (${named}) but its params describe (${described})`);
  }
  const readers = properties.map(([name, property]) => {
    const code = (property as Missing).missing ?? 'NOT_FOUND';
    return { name, code, read: compileValue(asValueSchema(property)) };
  });
  return (raw) => {
    const values: Record<string, unknown> = {};
    for (const { name, code, read } of readers) {
      const value = read(raw[name] ?? '');
      if (value instanceof ValueError)
        throw new Problem(code, `${PROBLEMS[code][1]}: ${name} ${value.detail}.`);
      values[name] = value;
    }
    return values;
  };
}

export type Pair = readonly [name: string, value: string];

/** A decoded pair; null for a part with an escape that is not UTF-8. */
export interface EncodedPair {
  /** As it was sent. */
  readonly text: string;
  readonly name: string | null;
  readonly value: string | null;
}

/** The pairs in order, without empty ones; null if there are more than `max`. */
export function splitPairs(text: string, max: number): readonly EncodedPair[] | null {
  if (text === '') return [];
  const pieces = text.split('&', max + 1);
  if (pieces.length > max) return null;
  return pieces.filter((piece) => piece !== '').map(decodePair);
}

/** Maximum number of pairs of a form, or of a query parsed like one. */
const MAX_PAIRS = 100;

/** The pairs; null if there are more than 100, an escape is broken, or one contains NUL. */
export function parsePairs(text: string): readonly Pair[] | null {
  const pairs: Pair[] = [];
  for (const { name, value } of splitPairs(text, MAX_PAIRS) ?? [{ name: null, value: null }]) {
    if (name === null || value === null || `${name}${value}`.includes('\0')) return null;
    pairs.push([name, value]);
  }
  return pairs;
}

/** Values by name, both in the order sent. */
export function groupPairs(pairs: Iterable<Pair>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function decodePair(text: string): EncodedPair {
  const equals = text.indexOf('=');
  const name = decodeFormText(equals < 0 ? text : text.slice(0, equals));
  return { text, name, value: decodeFormText(equals < 0 ? '' : text.slice(equals + 1)) };
}
