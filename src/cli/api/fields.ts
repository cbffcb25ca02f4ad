// Options of a command for what an operation takes: parameters of its query, and members of its body.

import { type Command, Option } from 'commander';
import { CommandFailure, EXIT } from '../failure.ts';
import type { ApiCommand, Parameter, Schema } from './document.ts';

/** How values of a field are written. */
type Kind = 'text' | 'number' | 'boolean' | 'list' | 'json';

export interface Field {
  readonly name: string;
  readonly place: 'query' | 'body';
  readonly kind: Kind;
  readonly schema: Schema;
  /** Without its dashes. */
  readonly flag: string;
  /** Flags of other names that the API takes. */
  readonly aliases: readonly string[];
  readonly description: string;
  readonly isRequired: boolean;
}

/** Values as they were given: texts in their order, or true or false. */
export type Given = ReadonlyMap<Field, readonly string[] | boolean>;

/** Members that are secrets: in an option everybody on the computer could read them. They are given by --data. */
const SECRET =
  /^(?:api_?key|key|token|access_token|refresh_token|code|code_verifier|proof|secret|password|client_secret)$/i;

/** `format` is what the options of the output choose. */
const CHOSEN_OTHERWISE = ['format'];

const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

/** Values that an option takes; empty: any. */
export const valuesOf = ({ schema }: Field): readonly string[] =>
  (withoutNull(schema).items?.enum ?? withoutNull(schema).enum ?? []).map(String);

const withoutNull = (schema: Schema): Schema => {
  const kinds = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return kinds.length === 1 && kinds[0] !== undefined ? kinds[0] : schema;
};

function kindOf(schema: Schema): Kind {
  const { $ref, type, items, anyOf, oneOf } = withoutNull(schema);
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return isScalar(items) ? 'list' : 'json';
  if (type === 'object' || $ref !== undefined) return 'json';
  return [...(anyOf ?? []), ...(oneOf ?? [])].some((one) => !isScalar(one)) ? 'json' : 'text';
}

const isScalar = (schema: Schema | undefined): boolean =>
  schema !== undefined &&
  schema.$ref === undefined &&
  schema.type !== 'object' &&
  schema.type !== 'array' &&
  (schema.anyOf ?? []).every(isScalar);

/** All fields of a command. A body that has a member for each parameter, as that of a search, has no fields of its own. */
export function fieldsOf({ operation, variants }: ApiCommand): Field[] {
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && !CHOSEN_OTHERWISE.includes(parameter.name))
    .map((parameter) => fieldOf('query', parameter.name, parameter.schema, parameter));
  if (variants.has('data')) return query;
  const members = Object.entries(operation.body?.members ?? {})
    .filter(([name]) => !SECRET.test(name))
    .map(([name, schema]) => fieldOf('body', name, schema));
  return [...query, ...members];
}

function fieldOf(
  place: Field['place'],
  name: string,
  schema: Schema,
  { description, required = false }: Partial<Parameter> = {},
): Field {
  const text = description ?? schema.description ?? withoutNull(schema).description ?? '';
  const [words = '', aliases = ''] = text.split(/ ?Also known as /);
  return {
    name,
    place,
    kind: kindOf(schema),
    schema,
    flag: kebab(name),
    aliases: [...aliases.matchAll(/`(\w+)`/g)].map(([, alias = '']) => kebab(alias)),
    description: words,
    isRequired: required,
  };
}

const HEADING = 'What is requested:';

/** Adds an option for each field. A flag that the command has already is that field's, too. Gives who reads them after parsing. */
export function addFields(command: Command, fields: readonly Field[]): (values: object) => Given {
  const readers: ((
    values: Readonly<Record<string, unknown>>,
  ) => readonly [Field, string[] | boolean] | null)[] = [];
  const taken = new Set(command.options.map(({ long }) => long?.slice(2)));
  const flags = new Set([...taken, ...fields.map(({ flag }) => flag)]);
  for (const field of fields) {
    const names = [field.flag, ...field.aliases.filter((alias) => !flags.has(alias))];
    for (const [at, name] of names.entries()) {
      flags.add(name);
      if (!taken.has(name)) addOption(command, field, name, at > 0);
    }
    readers.push((values) => {
      const given = names.map((name) => values[attributeOf(name)]).filter((value) => value !== undefined);
      if (given.length === 0) return null;
      if (field.kind !== 'boolean') return [field, given.flat() as string[]];
      return [field, given.at(-1) !== field.flag.startsWith('no-')];
    });
  }
  return (values) =>
    new Map(readers.map((read) => read(values as Record<string, unknown>)).filter((entry) => entry !== null));
}

/** As commander names it: `--no-fee` is the option `fee`. */
const attributeOf = (flag: string): string =>
  flag.replace(/^no-/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function addOption(command: Command, field: Field, name: string, isHidden: boolean): void {
  const add = (flags: string, hide: boolean) => {
    const option = new Option(flags, helpOf(field)).helpGroup(HEADING).hideHelp(hide);
    if (field.kind !== 'boolean')
      option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
    // In place of another name of the same the option may be missing.
    command.addOption(option.makeOptionMandatory(field.isRequired && !hide && field.aliases.length === 0));
  };
  if (field.kind !== 'boolean') {
    add(`--${name} <${placeholderOf(field)}>`, isHidden);
    return;
  }
  // The positive one comes first: alone, `--no-x` would be true where it is not given.
  const bare = name.replace(/^no-/, '');
  add(`--${bare}`, isHidden || bare !== name);
  add(`--no-${bare}`, isHidden || bare === name);
}

function placeholderOf({ kind, schema }: Field): string {
  const { type, format, items } = withoutNull(schema);
  if (kind === 'json') return 'json';
  if (kind === 'list')
    return items?.enum !== undefined ? 'value,...' : `${items?.type === 'string' ? 'text' : 'number'},...`;
  if (kind === 'number') return type === 'integer' ? 'integer' : 'number';
  if (format === 'date') return 'date';
  if (format === 'date-time') return 'time';
  return withoutNull(schema).enum === undefined ? 'text' : 'value';
}

/** `limit` means another thing here than in the API. */
const LIMIT = 'So many rows at most, over as many pages as that takes. Default: one page.';

function helpOf(field: Field): string {
  if (field.name === 'limit') return LIMIT;
  const text = optionNames(field.description)
    .replace(
      'Several values: repeat the parameter or separate by commas.',
      'Repeat it, or separate values by commas.',
    )
    .replace('Several values: repeat the parameter.', 'Repeat it for several values.')
    .trim();
  const values = valuesOf(field);
  const initial = withoutNull(field.schema).default;
  return [
    text,
    ...(values.length > 0 ? [`One of: ${values.join(', ')}.`] : []),
    ...(initial !== undefined && initial !== false && !/\bdefault\b/i.test(text)
      ? [`Default: ${initial}.`]
      : []),
    ...(field.kind === 'boolean' && !field.flag.startsWith('no-') ? [`No: --no-${field.flag}.`] : []),
  ].join(' ');
}

/** Names of parameters in a description as options: `minLotSize` -> `--min-lot-size`. */
export const optionNames = (text: string): string =>
  text.replace(/`([a-z]+[A-Z]\w*)`(?!\s*:)/g, (_, name: string) => `--${kebab(name)}`);

/** Writes the fields of the query, in the order of the document. */
export function queryOf(given: Given): URLSearchParams {
  const query = new URLSearchParams();
  for (const [{ place, name }, value] of given) {
    if (place !== 'query') continue;
    for (const text of typeof value === 'boolean' ? [String(value)] : value) query.append(name, text);
  }
  return query;
}

/** The given fields as members of a body. Throws CommandFailure for a text that is not of the member's type. */
export function membersOf(given: Given): Record<string, unknown> {
  return Object.fromEntries([...given].map(([field, value]) => [field.name, memberOf(field, value)]));
}

function memberOf(field: Field, value: readonly string[] | boolean): unknown {
  if (typeof value === 'boolean') return value;
  const { kind, schema, flag } = field;
  const last = value.at(-1) ?? '';
  const isNullable = schema.anyOf?.some(({ type }) => type === 'null');
  if (isNullable && last === 'null') return null;
  if (kind === 'list')
    return value
      .flatMap((text) => text.split(','))
      .map((text) => scalarOf(withoutNull(schema).items, text, flag));
  if (kind === 'json') return parseJson(last, `--${flag}`);
  return scalarOf(withoutNull(schema), last, flag);
}

function scalarOf(schema: Schema | undefined, text: string, flag: string): string | number {
  const types = [schema?.type, ...(schema?.anyOf ?? []).map(({ type }) => type)];
  const mayBeNumber = types.includes('number') || types.includes('integer');
  if (mayBeNumber && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (mayBeNumber && !types.includes('string')) throw fault(`--${flag} takes a number, not ${text}.`);
  return text;
}

/** Throws CommandFailure with the place of the fault. */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault(`${name} is not JSON: ${(error as Error).message}.`);
  }
}

const fault = (message: string) => new CommandFailure(message, EXIT.usage);
