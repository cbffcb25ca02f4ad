// Strict parsers of path and query parameters, compiled from a route's schema, and of URL-encoded pairs; each error names its parameter.

import type { TObject } from 'typebox';
import { redact } from '../../lib/log.ts';
import { nearest, type Suggest } from '../../lib/nearest.ts';
import { decodeFormText } from '../../lib/parse.ts';
import { type FieldError, PROBLEMS, Problem, type ProblemCode } from '../../lib/problem.ts';
import { splitList } from './list-text.ts';
import { MAX_FAULTS, parameterProblem } from './parameter-problem.ts';
import {
  compileParameterTable,
  fieldError,
  itemSchema,
  type ParameterForm,
  readItems,
} from './parameter-table.ts';
import { asValueSchema, compileValue, ValueError, type ValueSchema } from './values.ts';

/** A query string split into pairs, not validated yet. */
export type ParsedQuery = { readonly pairs: readonly EncodedPair[] | null };

/** Parses the parameters. Throws INVALID_PARAMETER with every invalid one in `errors`. */
export type ReadQuery = (query: ParsedQuery) => Record<string, unknown>;

const MAX_PARAMETERS = 200;

/** Splits a query string into pairs. Never throws. */
export function parseQuery(text: string): ParsedQuery {
  return { pairs: splitPairs(text, MAX_PARAMETERS) };
}

/** Compiles the parser of a query string. */
export function compileQuery(schema?: TObject, suggest?: Suggest): (text: string) => Record<string, unknown> {
  const read = compileParsedQuery(schema, suggest);
  return (text) => read(parseQuery(text));
}

/** Parameters as a query writes them: all texts of a name, in order. */
const QUERY: ParameterForm<readonly string[]> = {
  compile: compileOccurrences,
  unknown(names, suggestion) {
    if (names === 0) return new ValueError('this endpoint takes no query parameters');
    const remedy = suggestion === 'cursor' ? ': send page.nextCursor of the previous page as cursor' : '';
    return new ValueError(`is not known to this endpoint${remedy}`, suggestion);
  },
  fault: (name, error) => fieldError({ parameter: shorten(name) }, error),
  problem: parameterProblem,
};

/** Compiles the parser of one route; without a schema every parameter is unknown. */
export function compileParsedQuery(schema?: TObject, suggest: Suggest = nearest): ReadQuery {
  const read = compileParameterTable(QUERY, schema, suggest);
  return ({ pairs }) => {
    if (pairs === null)
      throw new Problem('INVALID_PARAMETER', `A request may have at most ${MAX_PARAMETERS} parameters.`);
    const readable: Pair[] = [];
    const errors: FieldError[] = [];
    for (const { text, name, value } of pairs) {
      if (name !== null && value !== null) readable.push([name, value]);
      else if (errors.length < MAX_FAULTS)
        errors.push({ parameter: shorten(name ?? text), detail: 'has a %-escape that is not valid UTF-8' });
    }
    return read(groupPairs(readable), errors);
  };
}

/** Compiles the parser of all occurrences of a parameter: exactly one for a single value, any number for a list. */
function compileOccurrences(schema: ValueSchema): (texts: readonly string[]) => unknown {
  const items = itemSchema(schema);
  const read = compileValue(items ?? schema);
  if (items === null)
    return ([text, ...more]) =>
      more.length > 0 || text === undefined
        ? new ValueError('allows one value and has more than one')
        : read(text);
  const separator = schema.separator === undefined ? ',' : schema.separator;
  return (texts) => {
    const lists = texts.map((text) => (separator === null ? [text] : splitList(text, separator)));
    if (lists.includes(null))
      return new ValueError(
        'has a quote that does not end: quote a value as a whole, and write "" for a quote in it',
      );
    return readItems(
      schema,
      lists.flatMap((list) => list ?? []),
      read,
    );
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
