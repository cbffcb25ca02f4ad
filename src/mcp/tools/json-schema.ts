// Schemas of tools: a route's schemas in the part of JSON Schema 2020-12 that every vendor of models takes.

import type { TObject, TSchema } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import type { Route } from '../../http/frame/route.ts';
import WORDS from './argument-words.json' with { type: 'json' };
import type { ObjectSchema } from './tool.ts';
import type { Json, ToolRow } from './tool-row.ts';

/** Descriptions of arguments that several tools share, by name, in fewer words than the API's. An empty one: the name says it. */
const ARGUMENT_WORDS: Readonly<Record<string, string>> = WORDS;

const DETAIL = {
  type: 'string',
  enum: ['short', 'full'],
  description: 'full: every member. Default short.',
};

/** The parameters of a route by name: those of its path, its query and its body. */
export function parametersOf({ params, query, body }: Route<Principal>): Readonly<Record<string, TSchema>> {
  const { properties = {} } = (body ?? {}) as Partial<TObject>;
  return { ...params?.properties, ...query?.properties, ...properties };
}

/**
 * Schema of the arguments, in the keywords that every vendor of models takes: type, enum, items, properties, required and
 * descriptions. Bounds and forms are left to the route, whose problems name them.
 */
export function inputSchema(row: ToolRow, route: Route<Principal>): ObjectSchema {
  const parameters = parametersOf(route);
  const names = [...Object.keys(route.params?.properties ?? {}), ...row.shown];
  const shown = names.map((name) => {
    const schema = (parameters[name] ?? {}) as Json;
    const { description: _, ...value } = portable(schema, row.watched);
    const description = describe(name, schema, row);
    return [name, description === '' ? value : { ...value, description }];
  });
  const required = names.filter((name) => isRequired(name, route));
  return {
    type: 'object',
    properties: { ...Object.fromEntries(shown), ...(row.short && { detail: DETAIL }) },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function describe(name: string, schema: Json, { descriptions = {}, defaults = {} }: ToolRow): string {
  const own = descriptions[name] ?? ARGUMENT_WORDS[name];
  const words = own ?? (typeof schema.description === 'string' ? schema.description : '');
  const standard = defaults[name];
  return standard === undefined ? words : `${words} Default ${String(standard)}.`.trim();
}

/** Whether a call must have the argument. */
export function isRequired(name: string, { params, query, body }: Route<Principal>): boolean {
  const { required = [] } = (body ?? {}) as Partial<TObject>;
  return [...(params?.required ?? []), ...(query?.required ?? []), ...required].includes(name);
}

/** The schema in common keywords, with the first of several forms; `members` are those of objects that have too many. */
function portable(schema: Json, members: readonly string[] = []): Json {
  const { type, items, properties, anyOf, description } = schema;
  const text = typeof description === 'string' ? { description } : {};
  const values = valuesOf(schema);
  if (values !== null) return { type: 'string', enum: values, ...text };
  const options = (Array.isArray(anyOf) ? anyOf : []).map(toJson).filter((option) => option.type !== 'null');
  const [first] = options;
  if (first !== undefined && options.every((option) => isJson(option.properties)))
    return portable(merged(options), members);
  if (first !== undefined) return { ...portable(first, members), ...text };
  if (type === 'array') return { type, items: bare(portable(toJson(items), members)), ...text };
  if (isJson(properties)) return portableObject(schema, members);
  return { type: type === 'object' ? 'string' : type, ...text };
}

function portableObject({ properties, required }: Json, members: readonly string[]): Json {
  const all = Object.entries(toJson(properties));
  const isLarge = all.length > MAX_MEMBERS;
  const shown = all.filter(([name]) => !isLarge || members.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(
      shown.map(([name, schema]) => [name, bare(portable(toJson(schema), members))]),
    ),
    ...(Array.isArray(required) && required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Objects with more members show those alone that the row names; what members mean, the argument says. */
const MAX_MEMBERS = 20;

/** One object in place of several: the members of all, required those that all require. */
function merged(options: readonly Json[]): Json {
  const entries = options.flatMap(({ properties }) => Object.entries(toJson(properties)));
  const byName = Map.groupBy(entries, ([name]) => name);
  const required = options.map((option) => (Array.isArray(option.required) ? option.required : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      [...byName].map(([name, same]) => [name, mergedMember(same.map(([, schema]) => toJson(schema)))]),
    ),
    required: (required[0] ?? []).filter((name) => required.every((names) => names.includes(name))),
  };
}

function mergedMember(schemas: readonly Json[]): Json {
  const [first = {}] = schemas;
  const values = schemas.map(valuesOf);
  if (values.every((list) => list !== null))
    return { ...first, const: undefined, enum: [...new Set(values.flat())] };
  return schemas.length > 1 && schemas.every(({ properties }) => isJson(properties))
    ? merged(schemas)
    : first;
}

/** Values of an enumeration; null where the schema is none. */
function valuesOf({ enum: list, const: one }: Json): readonly unknown[] | null {
  if (Array.isArray(list)) return list;
  return one === undefined ? null : [one];
}

const bare = ({ description: _, ...schema }: Json): Json => schema;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toJson = (value: unknown): Json => (isJson(value) ? value : {});

/** Schema of the structured content: the members that calls go on with. Others follow the route, and short records have few. */
export const outputSchema = ({ output }: ToolRow): ObjectSchema => ({
  type: 'object',
  required: [...output, 'links', 'untrusted', 'omitted'],
});
