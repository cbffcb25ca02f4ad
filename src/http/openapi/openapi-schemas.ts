// Schemas of the OpenAPI document: named ones once under components, our own keywords put into words.

import type { TSchema } from 'typebox';
import { asValueSchema } from '../input/values.ts';

export type Json = { readonly [member: string]: unknown };

/** Keywords for our own parsers, meaningless to others. */
const OWN_KEYWORDS = new Set([
  '$id',
  'aliases',
  'hints',
  'synonyms',
  'caseInsensitive',
  'separator',
  'missing',
  'flag',
  'written',
  'form',
  'internal',
]);

/** Collects named schemas while it writes references to them. */
export class SchemaShelf {
  readonly #named = new Map<string, string>();
  readonly #written = new Map<string, Json>();

  /** The schema as in the document: a reference if it has an `$id`. Throws if two share one. */
  place(schema: TSchema): Json {
    const id = (schema as { readonly $id?: string }).$id;
    if (id === undefined) return this.#write(schema as Json);
    const text = JSON.stringify(schema);
    const present = this.#named.get(id);
    if (present !== undefined && present !== text) throw new Error(`Two different schemas are called ${id}`);
    if (present === undefined) {
      this.#named.set(id, text);
      this.#written.set(id, this.#write(schema as Json));
    }
    return { $ref: `#/components/schemas/${id}` };
  }

  /** All named schemas, by name. */
  get schemas(): Json {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #write(named: Json): Json {
    const schema = withoutPatternNames(named);
    const members = Object.entries(schema).filter(([keyword]) => !OWN_KEYWORDS.has(keyword));
    return Object.fromEntries(members.map(([keyword, value]) => [keyword, this.#member(keyword, value)]));
  }

  #member(keyword: string, value: unknown): unknown {
    if (keyword === '$ref' && typeof value === 'string' && !value.startsWith('#')) {
      return `#/components/schemas/${value}`;
    }
    if (keyword === 'properties' || keyword === '$defs') {
      const parts = Object.entries(value as Record<string, TSchema>);
      return Object.fromEntries(parts.map(([name, part]) => [name, this.place(part)]));
    }
    if (['items', 'additionalProperties', 'not', 'contains', 'propertyNames'].includes(keyword)) {
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? this.place(value as TSchema)
        : value;
    }
    if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)) {
      return (value as TSchema[]).map((part) => this.place(part));
    }
    return value;
  }
}

/** Any name: what TypeBox writes for a map. */
const ANY_NAME = '^.*$';

/** A map with `additionalProperties`: generators of clients do not read `patternProperties`. */
function withoutPatternNames(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  if (patternProperties === undefined) return schema;
  const [[pattern, values] = [ANY_NAME, {}], ...more] = Object.entries(patternProperties as Json);
  if (more.length > 0) throw new Error('A map has one pattern for its names');
  const names = pattern === ANY_NAME ? {} : { propertyNames: { type: 'string', pattern } };
  return { ...rest, additionalProperties: values, ...names };
}

/** The description of a parameter with what our own keywords mean. */
export function describeParameter(schema: TSchema): string {
  const { description, type, separator, aliases = [], caseInsensitive } = asValueSchema(schema);
  const list = separator === null ? 'repeat the parameter' : 'repeat the parameter or separate by commas';
  const sentences = [
    description ?? '',
    type === 'array' && (separator === undefined || separator === null) ? `Several values: ${list}.` : '',
    type === 'array' && typeof separator === 'string'
      ? `Several values are separated by "${separator}".`
      : '',
    caseInsensitive === true ? 'Not case-sensitive.' : '',
    aliases.length > 0 ? `Also known as ${aliases.map((alias) => `\`${alias}\``).join(', ')}.` : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
