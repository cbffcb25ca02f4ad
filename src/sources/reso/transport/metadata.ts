// Metadata of the Property resource: its fields, what can be expanded, and its key's type.

export interface PropertyShape {
  /** Names that may be selected; null: not known, so select nothing. */
  readonly fields: ReadonlySet<string> | null;
  /** Names that may be expanded. */
  readonly expandable: ReadonlySet<string>;
  /** Numeric keys are written bare in addresses and filters. */
  readonly numericKey: boolean;
}

/** What is assumed of a server whose $metadata cannot be had. */
export const UNKNOWN_SHAPE: PropertyShape = {
  fields: null,
  expandable: new Set(['Media']),
  numericKey: false,
};

const TAG = /<(\/?)(?:\w+:)?(\w+)((?:\s[^<>]*)?)>/g;
const ATTRIBUTE = /([\w.:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function attributes(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, name = '', a, b]) => [name, a ?? b ?? '']));
}

interface EntityType {
  readonly properties: Map<string, string>;
  readonly navigations: Set<string>;
}

/** Reads EDMX of any version. Null when it does not describe Property. */
export function propertyShape(edmx: string): PropertyShape | null {
  const types = new Map<string, EntityType>();
  let current: EntityType | null = null;
  let wanted = 'Property';
  for (const [, closing, tag, text = ''] of edmx.matchAll(TAG)) {
    if (closing === '/') {
      if (tag === 'EntityType') current = null;
      continue;
    }
    const read = attributes(text);
    const name = read.get('Name') ?? '';
    if (tag === 'EntityType') {
      current = text.endsWith('/') ? null : { properties: new Map(), navigations: new Set() };
      if (current !== null) types.set(name, current);
    } else if (tag === 'Property') current?.properties.set(name, read.get('Type') ?? '');
    else if (tag === 'NavigationProperty') current?.navigations.add(name);
    else if (tag === 'EntitySet' && name === 'Property')
      wanted = read.get('EntityType')?.split('.').at(-1) ?? wanted;
  }
  const type = types.get(wanted);
  if (type === undefined || type.properties.size === 0) return null;
  const key = type.properties.get('ListingKey') ?? 'Edm.String';
  return {
    fields: new Set(type.properties.keys()),
    expandable: type.navigations,
    numericKey: /^Edm\.(Int16|Int32|Int64|Decimal)$/.test(key),
  };
}
