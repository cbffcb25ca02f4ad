// Strict parser of a JSON body whose members are the parameters of a query schema.

import { type TObject, type TSchema, Type } from 'typebox';
import type { Suggest } from '../../lib/nearest.ts';
import { Problem, pointerTo } from '../../lib/problem.ts';
import { memberProblem } from './parameter-problem.ts';
import {
  compileParameterTable,
  fieldError,
  itemSchema,
  type ParameterForm,
  readItems,
} from './parameter-table.ts';
import {
  asValueSchema,
  compileValue,
  isInternal,
  membersOf,
  ValueError,
  type ValueSchema,
} from './values.ts';

/** Validates a parsed body. Throws INVALID_BODY if it is not an object, INVALID_PARAMETER for invalid members. */
export type ReadJsonQuery = (body: unknown) => Record<string, unknown>;

const MAX_MEMBERS = 200;

/** Parameters as members of a body. */
const MEMBERS: ParameterForm<unknown> = {
  compile: compileMember,
  unknown: (_, suggestion) => new ValueError('is not a member of this body', suggestion),
  fault: (name, error) => fieldError({ pointer: pointerTo(name) }, error),
  problem: memberProblem,
};

/** Compiles the parser for a query schema; defaults and aliases are those of the query. */
export function compileJsonQuery(schema: TObject, suggest?: Suggest): ReadJsonQuery {
  const read = compileParameterTable(MEMBERS, schema, suggest);
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new Problem('INVALID_BODY', 'The body must be a JSON object.');
    const sent = Object.entries(body);
    if (sent.length > MAX_MEMBERS)
      throw new Problem(
        'INVALID_BODY',
        `The body has ${sent.length} members; at most ${MAX_MEMBERS} are allowed.`,
      );
    return read(sent);
  };
}

function compileMember(schema: ValueSchema): (value: unknown) => unknown {
  const items = itemSchema(schema);
  const read = compileScalar(items ?? schema);
  if (items === null) return read;
  return (value) =>
    Array.isArray(value)
      ? readItems(schema, value, read)
      : new ValueError('must be a list, in square brackets even for a single value');
}

function compileScalar(schema: ValueSchema): (value: unknown) => unknown {
  const read = compileValue(schema);
  return (value) => {
    const text = asText(value, schema);
    return text instanceof ValueError ? text : read(text);
  };
}

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
