// Request bodies: strict parsers of JSON and forms, and validation by the route's schema.

import type { TObject, TSchema } from 'typebox';
import { redact } from '../../lib/log.ts';
import { type FieldError, Problem } from '../../lib/problem.ts';
import { compileSchema } from '../../lib/schema-errors.ts';
import { fieldProblem } from './parameter-problem.ts';
import { groupPairs, parsePairs } from './query.ts';
import { asValueSchema } from './values.ts';

const DEEPEST = 32;
const POISON = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Parses a JSON body. Throws INVALID_BODY for anything but one JSON value within these limits. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalid('The body is empty; send one JSON value.');
  const text = decodeUtf8(bytes);
  const value = parse(text);
  if (inspect(value) !== countNames(text)) throw invalid('The body contains a duplicate member.');
  return value;
}

/** A 400 about the body as a whole. */
function invalid(detail: string, pointer = ''): Problem {
  return new Problem('INVALID_BODY', detail, { errors: [{ pointer, detail }] });
}

/** Decodes a body. Throws INVALID_BODY for bytes that are not UTF-8. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('INVALID_BODY', 'The body is not valid UTF-8.', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem('INVALID_BODY', 'The body is not valid JSON.', { cause });
  }
}

/** Counts the members of all objects, without recursion. */
function inspect(root: unknown): number {
  let names = 0;
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw invalid(`The body is nested deeper than ${DEEPEST} levels.`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') checkText(value);
      if (typeof value !== 'object' || value === null) continue;
      if (!Array.isArray(value)) names += inspectNames(value);
      for (const member of Object.values(value)) next.push(member);
    }
    level = next;
  }
  return names;
}

function inspectNames(object: object): number {
  const names = Object.keys(object);
  for (const name of names) {
    if (POISON.has(name)) throw invalid(`The body must not have a member ${name}.`);
    checkText(name);
  }
  return names.length;
}

/** Throws INVALID_BODY for text that PostgreSQL cannot store. */
function checkText(text: string): void {
  if (text.includes('\0')) throw invalid('The body contains the character NUL.');
  if (!text.isWellFormed()) throw invalid('The body contains half of a surrogate pair.');
}

/** Counts the members in valid JSON text; JSON.parse keeps only the last of duplicates. */
function countNames(json: string): number {
  let count = 0;
  for (let open = json.indexOf('"'); open >= 0; open = json.indexOf('"', open + 1)) {
    open = closingQuote(json, open);
    if (nextVisible(json, open + 1) === ':') count += 1;
  }
  return count;
}

function closingQuote(json: string, open: number): number {
  for (let at = open + 1; ; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 92) at += 1;
    else if (code === 34 || Number.isNaN(code)) return at;
  }
}

function nextVisible(json: string, from: number): string {
  let at = from;
  while (json.charCodeAt(at) <= 32) at += 1;
  return json.charAt(at);
}

/**
 * Parses a form into a flat object of the schema's fields. A list field is an array if sent twice, or always if the schema
 * says so. Empty fields count as absent (OAuth 2.1, section 3.1), unknown ones are ignored. Throws INVALID_BODY for
 * malformed forms and for other fields sent twice.
 */
export function parseForm(
  bytes: Uint8Array,
  schema: TSchema | undefined,
): Record<string, string | readonly string[]> {
  const { properties = {} } = (schema ?? {}) as Partial<TObject>;
  const pairs = parsePairs(decodeUtf8(bytes));
  if (pairs === null)
    throw invalid('The body is not a valid form: at most 100 pairs, with %-escapes in UTF-8.');
  const fields: Record<string, string | readonly string[]> = {};
  for (const [name, values] of groupPairs(pairs)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const list = property === undefined ? 'never' : listing(property);
    if (values.length > 1 && list === 'never') throw repeated(name);
    const sent = values.filter((value) => value !== '');
    const [first] = sent;
    if (property === undefined || first === undefined) continue;
    fields[name] = list === 'always' || sent.length > 1 ? sent : first;
  }
  return fields;
}

function listing(schema: TSchema): 'never' | 'perhaps' | 'always' {
  const { type, anyOf = [] } = asValueSchema(schema);
  if (type === 'array') return 'always';
  return anyOf.some((option) => asValueSchema(option).type === 'array') ? 'perhaps' : 'never';
}

function repeated(name: string): Problem {
  const field = /^\w{1,64}$/.test(name) ? name : 'A field';
  return new Problem('INVALID_BODY', `${field} was sent more than once; send it once.`);
}

/** Compiles the validator of a parsed body, which returns it unchanged. Throws INVALID_BODY with all its faults. */
export function compileBody(schema: TSchema): (body: unknown) => unknown {
  const validator = compileSchema(schema);
  return (body) => {
    if (validator.Check(body)) return body;
    throw bodyProblem(faultsOf(validator.Errors(body)));
  };
}

/** One INVALID_BODY for all these faults of members. */
export const bodyProblem = (errors: readonly FieldError[]): Problem =>
  fieldProblem(
    errors,
    ({ pointer = '' }) => (pointer === '' ? 'The body' : `The member ${pointer.slice(1)}`),
    'INVALID_BODY',
  );

type SchemaErrors = ReturnType<ReturnType<typeof compileSchema>['Errors']>;

/** One fault for each member: of alternatives that all fail, the first one's. */
function faultsOf(all: SchemaErrors): FieldError[] {
  const unions = all.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath);
  const memberOf = (path: string): string =>
    unions.find((union) => path === union || path.startsWith(`${union}/`)) ?? path;
  const faults = new Map<string, FieldError>();
  // The member itself says more than the object that may not have it.
  for (const error of all.filter(({ keyword }) => keyword !== 'additionalProperties')) {
    const member = memberOf(error.instancePath);
    if (!faults.has(member)) faults.set(member, faultOf(error));
  }
  return [...faults.values()];
}

function faultOf({ instancePath, keyword, message, params }: SchemaErrors[number]): FieldError {
  const list = 'allowedValues' in params ? `: ${params.allowedValues}` : '';
  return {
    pointer: redact(instancePath).slice(0, 200),
    detail: keyword === 'boolean' ? 'is not a member of this object' : `${message}${list}`,
  };
}
