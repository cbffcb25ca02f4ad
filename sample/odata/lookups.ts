// Lookup resource, with the two spellings of every enumerated value: for people and for old OData clients.
import cities from '../names/cities.json' with { type: 'json' };
import standard from '../names/lookups.json' with { type: 'json' };
import region from '../names/region.json' with { type: 'json' };

export type Spelling = 'display' | 'legacy';

export interface LookupRow {
  readonly LookupKey: string;
  readonly LookupName: string;
  readonly LookupValue: string;
  /** null for values of this listing service alone. */
  readonly StandardLookupValue: string | null;
  readonly LegacyODataValue: string;
  readonly ModificationTimestamp: string;
}

const STANDARD: Readonly<Record<string, Readonly<Record<string, string>>>> = standard;

/** Values that the dictionary leaves to each listing service. */
const LOCAL: Readonly<Record<string, readonly string[]>> = {
  MlsStatus: [
    'Active',
    'Active - Contingent',
    'Canceled',
    'Coming Soon',
    'Deleted',
    'Draft',
    'Expired',
    'Leased',
    'Pending',
    'Sold',
    'Temporarily Off Market',
    'Withdrawn',
  ],
  City: cities.map((city) => city.name),
  PostalCity: cities.map((city) => city.name),
  CountyOrParish: region.counties.map((county) => county.name),
  StateOrProvince: [region.state.code],
  MLSAreaMajor: cities.map((city) => `${city.county} / ${city.name}`),
  Country: [region.country],
};

/** When the vocabulary last changed: long before any market begins. */
const CHANGED = '2024-01-15T09:00:00.000Z';

export const lookupRows: readonly LookupRow[] = [
  ...Object.entries(STANDARD).flatMap(([name, values]) =>
    Object.entries(values).map(([value, legacy]) => row(name, value, value, legacy)),
  ),
  ...Object.entries(LOCAL).flatMap(([name, values]) =>
    values.map((value) => row(name, value, null, squeezed(value))),
  ),
];

function row(name: string, value: string, standardValue: string | null, legacy: string): LookupRow {
  return {
    LookupKey: `${name}.${legacy}`,
    LookupName: name,
    LookupValue: value,
    StandardLookupValue: standardValue,
    LegacyODataValue: legacy,
    ModificationTimestamp: CHANGED,
  };
}

/** A function declaration, because the rows above are built with it while the file loads. */
function squeezed(value: string): string {
  return value.replace(/[^A-Za-z0-9]/g, '');
}

/** The value in the spelling served. Proper names, such as cities, have but one. */
export function spelled(lookup: string, value: string, spelling: Spelling): string {
  if (spelling === 'display') return value;
  if (lookup === 'MlsStatus') return squeezed(value);
  return STANDARD[lookup]?.[value] ?? value;
}
