// Map file: its format, and every fault of one reported at once.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { nearest } from '../../lib/nearest.ts';
import { parseTimeZone, withoutByteOrderMark } from '../../lib/parse.ts';
import { schemaErrors } from '../../lib/schema-errors.ts';
import { OwnTermsSchema, type StatedTerms } from '../../licence/terms/terms.ts';
import { MEDIA_MODES, type MediaMode } from '../../listings/pictures/own-pictures.ts';
import { FORMATS, type Format, isObject } from '../formats/record.ts';
import { AREA_FIELDS, type Fields, LISTING_FIELDS } from './fields.ts';
import { RuleSchema, strict } from './rule.ts';
import { ruleFaults } from './rule-faults.ts';

const RulesSchema = Type.Array(RuleSchema, { minItems: 1 });

const MapSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    kind: Type.Unsafe<'listings' | 'areas'>({ type: 'string', enum: ['listings', 'areas'] }),
    source: Type.Object(
      {
        id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$' }),
        name: Type.String({ minLength: 1, maxLength: 200 }),
      },
      strict,
    ),
    file: Type.Optional(
      Type.Object(
        {
          format: Type.Optional(Type.Unsafe<Format>({ type: 'string', enum: [...FORMATS] })),
          delimiter: Type.Optional(Type.String({ minLength: 1, maxLength: 1 })),
          encoding: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['utf-8', 'windows-1252'] })),
          sheet: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
          member: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
        },
        strict,
      ),
    ),
    timeZone: Type.Optional(Type.String()),
    /** What a listing without a display rule is; default: shown. */
    displayDefault: Type.Optional(
      Type.Unsafe<'show' | 'withhold'>({ type: 'string', enum: ['show', 'withhold'] }),
    ),
    /** How photos are shown; default: as the setting MEDIA says. */
    media: Type.Optional(Type.Unsafe<MediaMode>({ type: 'string', enum: [...MEDIA_MODES] })),
    licence: Type.Optional(Type.Unsafe<StatedTerms>(OwnTermsSchema)),
    nulls: Type.Optional(Type.Array(Type.String())),
    /** What an inspection could not know, and what the map assumes; nothing reads it. */
    questions: Type.Optional(
      Type.Array(
        Type.Object({ field: Type.String(), question: Type.String(), assumed: Type.String() }, strict),
      ),
    ),
    fields: Type.Record(Type.String(), RulesSchema),
  },
  strict,
);

/** A checked map file; of several rules for a field, the first that yields a value counts. */
export interface ImportMap extends Static<typeof MapSchema> {
  /** SHA-256 of the file. */
  readonly digest: Buffer;
}

/** Everything that is wrong with a map file, one sentence each. */
export class MapError extends Error {
  override readonly name = 'MapError';
  readonly faults: readonly string[];

  constructor(file: string, faults: readonly string[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
    super(`The map file ${file} has ${count}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** Reads and checks a map file. Throws MapError with every fault in it. */
export async function readMap(file: string, kind: ImportMap['kind']): Promise<ImportMap> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The map file ${file} cannot be read: ${error.message}`);
  });
  const map = parseMap(file, text);
  if (map.kind !== kind) {
    throw new MapError(file, [`kind is ${map.kind}: use \`freehold import ${map.kind}\``]);
  }
  return map;
}

/** The map of a file's text. Throws MapError. */
export function parseMap(file: string, text: string): ImportMap {
  let written: unknown;
  try {
    written = JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    throw new MapError(file, [`it is not JSON: ${(error as Error).message}`]);
  }
  const map = withRuleLists(written);
  const faults = [...shapeFaults(map), ...(hasKindAndFields(map) ? meaningFaults(map) : [])];
  if (faults.length > 0) throw new MapError(file, faults);
  return { ...(map as ImportMap), digest: createHash('sha256').update(text).digest() };
}

export function fieldsOf(kind: ImportMap['kind']): Fields {
  return kind === 'listings' ? LISTING_FIELDS : AREA_FIELDS;
}

/** A single rule becomes a list of one, and so does a single value of a condition. */
function withRuleLists(map: unknown): unknown {
  const fields = isObject(map) ? map.fields : undefined;
  if (!isObject(map) || !isObject(fields)) return map;
  const lists = Object.entries(fields).map(([name, rule]) => [name, [rule].flat().map(withLists)]);
  return { ...map, fields: Object.fromEntries(lists) };
}

function withLists(rule: unknown): unknown {
  const when = isObject(rule) ? rule.when : undefined;
  if (!isObject(rule) || !isObject(when)) return rule;
  const listed = Object.entries(when).map(([name, value]) => [
    name,
    name === 'is' || name === 'isNot' ? [value].flat() : value,
  ]);
  return { ...rule, when: Object.fromEntries(listed) };
}

function shapeFaults(map: unknown): string[] {
  const faults = schemaErrors(MapSchema, map).flatMap(({ keyword, instancePath, params, message }) => {
    const at = placeOf(instancePath);
    if (keyword === 'boolean') return []; // Reported by additionalProperties already.
    if (keyword === 'additionalProperties') {
      const { additionalProperties } = params as { additionalProperties: readonly string[] };
      return additionalProperties.map((name) => unknownKey(at, name));
    }
    if (keyword === 'pattern') return [`${at} must be of lower-case letters, digits and hyphens`];
    const plain = plainRule(map, instancePath);
    if (plain !== null) return [`${at}: ${plain}`];
    const { allowedValues } = params as { allowedValues?: readonly unknown[] };
    return [`${at || 'the map'}: ${allowedValues ? `must be ${allowedValues.join(' or ')}` : message}`];
  });
  return [...new Set(faults)];
}

/** What to write instead of a mere value as a rule; null for another fault. */
function plainRule(map: unknown, pointer: string): string | null {
  const [top, name = '', position = '', ...rest] = pointer.slice(1).split('/');
  const fields = isObject(map) && isObject(map.fields) ? map.fields : {};
  const rules = fields[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  const rule: unknown = Array.isArray(rules) ? rules[Number(position)] : undefined;
  if (top !== 'fields' || rest.length > 0 || isObject(rule) || Array.isArray(rule) || rule === undefined)
    return null;
  const [constant, column] = [JSON.stringify({ constant: rule }), JSON.stringify({ column: String(rule) })];
  const spaced = (text: string): string => text.replace(':', ': ');
  return `a rule is an object: ${spaced(constant)} for the same value in every row, or ${spaced(column)} for a column of that name`;
}

function unknownKey(at: string, name: string): string {
  const meant = nearest(name, Object.keys((at.startsWith('fields.') ? RuleSchema : MapSchema).properties));
  return `${at === '' ? name : `${at}: ${name}`} is not known${meant ? `; did you mean ${meant}?` : ''}`;
}

/** `/fields/price/0/unit` as people read it: `fields.price unit`, with the position from the second rule on. */
function placeOf(pointer: string): string {
  const [top = '', name, position, ...rest] = pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (top !== 'fields' || name === undefined) return [top, name, position, ...rest].filter(Boolean).join('.');
  const which = position === undefined || position === '0' ? '' : ` (rule ${Number(position) + 1})`;
  return [`fields.${name}${which}`, ...rest].join(' ');
}

/** A map whose other parts may be at fault. */
type Outline = Pick<ImportMap, 'kind'> & Readonly<Record<string, unknown>> & { readonly fields: object };

const hasKindAndFields = (map: unknown): map is Outline =>
  isObject(map) && Check(MapSchema.properties.kind, map.kind) && isObject(map.fields);

/** Faults of the parts whose shape is right. */
function meaningFaults(map: Outline): string[] {
  const fields = fieldsOf(map.kind);
  const faults: string[] = [];
  for (const [name, { required }] of Object.entries(fields)) {
    if (required && !(name in map.fields)) faults.push(`fields.${name} is missing`);
  }
  for (const [name, rules] of Object.entries(map.fields)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!Check(RulesSchema, rules)) continue;
    if (field === undefined) {
      const meant = nearest(name, Object.keys(fields));
      faults.push(`fields.${name} is no field of ${map.kind}${meant ? `; did you mean ${meant}?` : ''}`);
      continue;
    }
    for (const [position, rule] of rules.entries()) {
      const at = placeOf(`/fields/${name}/${position}`);
      faults.push(...ruleFaults(rule, field).map((fault) => `${at}: ${fault}`));
    }
  }
  if (typeof map.timeZone === 'string' && parseTimeZone(map.timeZone) === null) {
    faults.push(`timeZone ${map.timeZone} is not known; give a name such as America/Los_Angeles`);
  }
  if (map.kind === 'areas' && map.displayDefault !== undefined)
    faults.push('displayDefault is of listings: areas are always shown');
  if (map.kind === 'areas' && map.media !== undefined)
    faults.push('media is of listings: areas have no photos');
  if ('location.lat' in map.fields !== 'location.lng' in map.fields) {
    faults.push('location.lat and location.lng go together');
  }
  return faults;
}

/** Columns that the map reads, in the order of their first use. */
export function columnsOf(map: ImportMap): string[] {
  const rules = Object.values(map.fields).flat();
  const columns = rules.flatMap((rule) => [
    rule.column,
    ...(rule.columns ?? []),
    rule.unitColumn,
    rule.when?.column,
  ]);
  return [...new Set(columns.filter((column) => column !== undefined))];
}
