// Strict parser of a JSON body whose members are the parameters of a query schema.

import { type TObject, type TSchema, Type } from 'typebox';
import { nearest, type Suggest } from '../../lib/nearest.ts';
import { type FieldError, Problem, pointerTo } from '../../lib/problem.ts';
import { CREDENTIAL_REMEDY, isCredentialName } from './credential-names.ts';
import { fieldProblem, MAX_FAULTS, withHints } from './query.ts';
import { UnreadParameters } from './unread-parameters.ts';
import {
  asValueSchema,
  compileValue,
  isInternal,
  membersOf,
  type ReadValue,
  ValueError,
  type ValueSchema,
} from './values.ts';

/** Validates a parsed body. Throws INVALID_BODY if it is not an object, INVALID_PARAMETER for invalid members. */
export type ReadJsonQuery = (body: unknown) => Record<string, unknown>;

const MAX_ITEMS = 100;
const MAX_MEMBERS = 200;

interface Member {
  readonly name: string;
  readonly read: (value: unknown) => unknown;
}

/** The parameter of each name that a schema knows, aliases included. */
export function parametersByName(schema: TObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(schema.properties).flatMap(([name, property]) =>
      [name, ...(asValueSchema(property).aliases ?? [])].map((alias) => [alias, name] as const),
    ),
  );
}

/** Compiles the parser for a query schema; defaults and aliases are those of the query. */
export function compileJsonQuery(schema: TObject, suggest: Suggest = nearest): ReadJsonQuery {
  const members = new Map<string, Member>();
  const defaults: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = asValueSchema(property);
    if (value.default !== undefined) defaults[name] = value.default;
    const member = { name, read: compileMember(value) };
    for (const alias of [name, ...(value.aliases ?? [])]) members.set(alias, member);
  }
  const hinting = withHints(schema, suggest);
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new Problem('INVALID_BODY', 'The body must be a JSON object.');
    const sent = Object.entries(body);
    if (sent.length > MAX_MEMBERS)
      throw new Problem(
        'INVALID_BODY',
        `The body has ${sent.length} members; at most ${MAX_MEMBERS} are allowed.`,
      );
    return readAll(sent, members, { defaults, suggest: hinting });
  };
}

function readAll(
  entries: readonly (readonly [name: string, value: unknown])[],
  members: ReadonlyMap<string, Member>,
  { defaults, suggest }: { readonly defaults: Readonly<Record<string, unknown>>; readonly suggest: Suggest },
): Record<string, unknown> {
  const errors: FieldError[] = [];
  const values: Record<string, unknown> = { ...defaults };
  const sent = new Map<Member, string>();
  const unread: string[] = [];
  for (const [name, json] of entries) {
    if (errors.length === MAX_FAULTS) break;
    const member = members.get(name);
    if (member === undefined) {
      errors.push(unknown(name, suggest(name, members.keys())));
      continue;
    }
    const other = sent.get(member);
    const value = other === undefined ? member.read(json) : sameAs(other);
    sent.set(member, name);
    if (value instanceof ValueError) {
      errors.push(fieldError(pointerTo(name), value));
      unread.push(member.name);
    } else values[member.name] = value;
  }
  if (errors.length > 0) throw new UnreadParameters(refused(errors), values, unread);
  return values;
}

const sameAs = (other: string) => new ValueError(`means the same as ${other}: send only one of them`);

const unknown = (name: string, suggestion: string | undefined): FieldError =>
  fieldError(
    pointerTo(name),
    isCredentialName(name)
      ? new ValueError(CREDENTIAL_REMEDY)
      : new ValueError('is not a member of this body', suggestion),
  );

const fieldError = (pointer: string, { detail, suggestion }: ValueError): FieldError =>
  suggestion === undefined ? { pointer, detail } : { pointer, detail, suggestion };

const refused = (errors: readonly FieldError[]): Problem =>
  fieldProblem(errors, ({ pointer = '' }) => `The member ${pointer.slice(1)}`);

/** The problem of a parameter, reworded for the member of a body; `parent` points to the object that has the members. */
export function ofMembers(problem: Problem, parent = ''): Problem {
  const { code, message, headers, members } = problem;
  const errors = problem.errors.map(({ parameter, pointer, ...error }) => {
    if (parameter !== undefined) return { pointer: pointerTo(parameter, parent), ...error };
    return pointer === undefined ? error : { pointer: `${parent}${pointer}`, ...error };
  });
  const detail = message.replace(/^The parameter /, 'The member ');
  return new Problem(code, detail, { errors, headers, members, cause: problem.cause });
}

function compileMember(schema: ValueSchema): (value: unknown) => unknown {
  if (schema.type === 'array' && schema.items !== undefined) {
    const { caseInsensitive = false } = schema;
    return compileList(schema, compileScalar({ caseInsensitive, ...asValueSchema(schema.items) }));
  }
  return compileScalar(schema);
}

function compileList(schema: ValueSchema, read: (value: unknown) => unknown): (value: unknown) => unknown {
  const [min, max] = [schema.minItems ?? 1, schema.maxItems ?? MAX_ITEMS];
  return (value) => {
    if (!Array.isArray(value))
      return new ValueError('must be a list, in square brackets even for a single value');
    if (value.length < min) return new ValueError(`needs at least ${min} values`);
    if (value.length > max) return new ValueError(`allows at most ${max} values`);
    const items = value.map((item) => read(item));
    const error = items.find((item) => item instanceof ValueError);
    if (error !== undefined) return error;
    const isRepeated = schema.uniqueItems === true && new Set(items).size < items.length;
    return isRepeated ? new ValueError('contains a value twice') : items;
  };
}

function compileScalar(schema: ValueSchema): (value: unknown) => unknown {
  const read = compileValue(schema);
  return (value) => {
    const text = asText(value, schema);
    return text instanceof ValueError ? text : readText(read, text);
  };
}

const readText = (read: ReadValue, text: string): unknown => read(text);

/** The value as a query parameter's text, if it has the schema's type. */
function asText(value: unknown, schema: ValueSchema): string | ValueError {
  if (schema.written === 'geometry' && typeof value === 'object' && value !== null)
    return JSON.stringify(value);
  if (schema.written === 'numbers' && Array.isArray(value)) {
    if (value.length !== NUMBERS) return new ValueError(`must be a list of ${NUMBERS} numbers`);
    return value.map((item) => (typeof item === 'number' ? plain(item) : 'none')).join();
  }
  const type = schema.type ?? typeof membersOf(schema)?.[0];
  if (schema.anyOf !== undefined && typeof value === 'number') return plain(value);
  if (type === 'integer' || type === 'number')
    return typeof value === 'number' ? plain(value) : new ValueError('must be a number');
  if (type === 'boolean')
    return typeof value === 'boolean' ? String(value) : new ValueError('must be true or false');
  return typeof value === 'string' ? value : new ValueError('must be a string');
}

/** List lengths that stand for one text: a box. */
const NUMBERS = 4;

/** Written without an exponent, which no parameter allows. */
const decimal = new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 20 });
const plain = (value: number): string => decimal.format(value);

/** The body's schema for the OpenAPI document, without keywords that only a query has. */
export function describeJsonQuery(schema: TObject, id: string, description: string): TSchema {
  const open = Object.entries(schema.properties).filter(([, property]) => !isInternal(property));
  const properties = open.map(([name, property]) => {
    // Client generators treat a member with a default as required, so the description states it instead.
    const { aliases = [], default: standard, ...value } = asValueSchema(property);
    const alsoKnown =
      aliases.length > 0 ? ` Also known as ${aliases.map((each) => `\`${each}\``).join(', ')}.` : '';
    const usual = standard === undefined ? '' : ` Default ${standard}.`;
    const text = `${value.description ?? ''}${usual}${alsoKnown}`.trim();
    return [
      name,
      Type.Optional(Type.Unsafe<unknown>({ ...jsonForm(value), ...(text && { description: text }) })),
    ];
  });
  return Type.Object(Object.fromEntries(properties), { $id: id, description, additionalProperties: false });
}

/** The schema of a value as a body writes it: shapes and boxes have forms of their own. */
export function jsonForm(value: ValueSchema): Record<string, unknown> {
  const { written, hints: _, synonyms: __, ...form } = value;
  if (written === undefined) return form;
  const { description: ___, ...text } = form;
  const other =
    written === 'numbers'
      ? { type: 'array', items: { type: 'number' }, minItems: NUMBERS, maxItems: NUMBERS }
      : { type: 'object', additionalProperties: true, description: 'GeoJSON' };
  return { anyOf: [text, other] };
}
