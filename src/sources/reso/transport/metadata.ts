// Metadata of the Property resource: its fields, what can be expanded, and its key.

import { type EnumerationTexts, enumerationTexts } from './enumeration-texts.ts';

export interface PropertyShape {
  /** Names that may be selected; null: not known, so select nothing. */
  readonly fields: ReadonlySet<string> | null;
  /** Names that may be expanded. */
  readonly expandable: ReadonlySet<string>;
  /** The field that identifies a record. */
  readonly keyField: 'ListingKey' | 'ListingKeyNumeric';
  /** Numeric keys are written bare in addresses and filters. */
  readonly numericKey: boolean;
  /** Fields of the resources that can be queried, by their names. */
  readonly resources: ReadonlyMap<string, ReadonlySet<string>>;
  /** Texts of values that are sent as names. */
  readonly texts?: EnumerationTexts;
  /** Names of the lookups of fields, where $metadata says them. */
  readonly lookupNames: ReadonlyMap<string, string>;
}

/** What is assumed of a server whose $metadata cannot be had. */
export const UNKNOWN_SHAPE: PropertyShape = {
  fields: null,
  expandable: new Set(['Media']),
  keyField: 'ListingKey',
  numericKey: false,
  resources: new Map(),
  lookupNames: new Map(),
};

const TAG = /<(\/?)(?:\w+:)?(\w+)((?:\s[^<>]*)?)>/g;
const ATTRIBUTE = /([\w.:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function attributes(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, name = '', a, b]) => [name, a ?? b ?? '']));
}

interface EntityType {
  readonly name: string;
  readonly base: string | null;
  readonly properties: Map<string, string>;
  readonly navigations: Set<string>;
  readonly lookupNames: Map<string, string>;
}

/** The entity types of a document by their qualified names, and the types of its sets by the names of these. */
interface Model {
  readonly types: ReadonlyMap<string, EntityType>;
  readonly sets: ReadonlyMap<string, string>;
}

/** Reads EDMX of any version, with the texts of enumerated values if they are wanted. Null when it does not describe Property with a key. */
export function propertyShape(edmx: string, readsTexts = false): PropertyShape | null {
  const { types, sets } = readModel(edmx);
  const wanted = sets.get('Property');
  const named = [...types.values()].filter(({ name }) => name === 'Property');
  const candidates = wanted === undefined ? named : [typeOf(types, wanted)];
  const resources = resourcesOf({ types, sets });
  for (const type of candidates) {
    const whole = type && withInherited(types, type);
    const shape = whole && shapeOf(whole, resources);
    if (shape === undefined || shape === null) continue;
    return readsTexts ? { ...shape, texts: enumerationTexts(edmx, whole?.properties ?? new Map()) } : shape;
  }
  return null;
}

function readModel(edmx: string): Model {
  const types = new Map<string, EntityType>();
  const aliases = new Map<string, string>();
  const whole = (name: string) => {
    const dot = name.lastIndexOf('.');
    const namespace = name.slice(0, Math.max(0, dot));
    return `${aliases.get(namespace) ?? namespace}.${name.slice(dot + 1)}`;
  };
  let namespace = '';
  let current: EntityType | null = null;
  /** The property that annotations are about; null: they are about something else. */
  let annotated: string | null = null;
  const sets = new Map<string, string>();
  for (const [, closing, tag, text = ''] of edmx.matchAll(TAG)) {
    if (closing === '/') {
      if (tag === 'EntityType') current = null;
      if (tag === 'Property') annotated = null;
      continue;
    }
    const read = attributes(text);
    const name = read.get('Name') ?? '';
    if (tag === 'Schema') {
      namespace = read.get('Namespace') ?? '';
      aliases.set(read.get('Alias') ?? namespace, namespace);
    } else if (tag === 'EntityType') {
      const type = {
        name,
        base: read.get('BaseType') ?? null,
        properties: new Map(),
        navigations: new Set<string>(),
        lookupNames: new Map(),
      };
      types.set(`${namespace}.${name}`, type);
      current = text.endsWith('/') ? null : type;
    } else if (tag === 'Property') {
      current?.properties.set(name, read.get('Type') ?? '');
      annotated = text.endsWith('/') ? null : name;
    } else if (tag === 'Annotation' && annotated !== null && read.get('Term')?.endsWith('.LookupName'))
      current?.lookupNames.set(annotated, read.get('String') ?? annotated);
    else if (tag === 'NavigationProperty') current?.navigations.add(name);
    else if (tag === 'EntitySet' && read.has('EntityType')) sets.set(name, read.get('EntityType') ?? '');
  }
  const resolved = new Map(
    [...types].map(([name, type]) => [name, { ...type, base: type.base === null ? null : whole(type.base) }]),
  );
  return { types: resolved, sets: new Map([...sets].map(([name, type]) => [name, whole(type)])) };
}

/** Fields of the types of all sets. */
function resourcesOf({ types, sets }: Model): PropertyShape['resources'] {
  return new Map(
    [...sets].flatMap(([name, qualified]) => {
      const type = typeOf(types, qualified);
      return type ? [[name, new Set(withInherited(types, type).properties.keys())] as const] : [];
    }),
  );
}

const typeOf = (types: Model['types'], qualified: string): EntityType | undefined =>
  types.get(qualified) ?? byBareName(types, qualified);

/** Some documents qualify names by a namespace that they do not declare. */
function byBareName(types: Model['types'], qualified: string): EntityType | undefined {
  const bare = qualified.slice(qualified.lastIndexOf('.') + 1);
  return [...types.values()].find(({ name }) => name === bare);
}

/** The type with what it inherits from its base types; a circle of them ends where it closes. */
function withInherited(types: Model['types'], type: EntityType): EntityType {
  const line = [type];
  for (let base = type.base; base !== null; ) {
    const next: EntityType | undefined = typeOf(types, base);
    if (next === undefined || line.includes(next)) break;
    line.push(next);
    base = next.base;
  }
  return {
    ...type,
    properties: new Map(line.flatMap(({ properties }) => [...properties])),
    navigations: new Set(line.flatMap(({ navigations }) => [...navigations])),
    lookupNames: new Map(line.flatMap(({ lookupNames }) => [...lookupNames])),
  };
}

const NUMERIC = /^Edm\.(Byte|Int16|Int32|Int64|Decimal)$/;

function shapeOf(
  { properties, navigations, lookupNames }: EntityType,
  resources: PropertyShape['resources'],
): PropertyShape | null {
  const keyField = (['ListingKey', 'ListingKeyNumeric'] as const).find((field) => properties.has(field));
  if (keyField === undefined) return null;
  return {
    fields: new Set(properties.keys()),
    expandable: navigations,
    keyField,
    numericKey: NUMERIC.test(properties.get(keyField) ?? ''),
    resources,
    lookupNames,
  };
}
