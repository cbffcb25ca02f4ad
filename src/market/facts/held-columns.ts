// Held columns: which facts of a listing are held to filter and group figures of the market, and which conditions need no others.

import type {
  CODE_COLUMNS,
  CodeColumn,
  NUMBER_COLUMNS,
  NumberColumn,
} from '../../search/engine/columns/columns.ts';
import { type Condition, isShape } from '../../search/query/condition.ts';
import type { ResolvedSearch } from '../../search/query/plan.ts';

/** What people filter markets by; whatever else a request names is answered by PostgreSQL. */
export const HELD_NUMBERS = [
  'lng',
  'lat',
  'price',
  'pricePerArea',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'lotSize',
  'yearBuilt',
  'monthsFree',
] as const satisfies (typeof NUMBER_COLUMNS)[number][];

export const HELD_CODES = [
  'currency',
  'propertyType',
  'propertySubType',
  'city',
  'neighborhood',
  'county',
  'state',
  'postalCode',
  'country',
  'providerId',
  'licence',
] as const satisfies (typeof CODE_COLUMNS)[number][];

const NUMBERS: ReadonlySet<string> = new Set<NumberColumn>(HELD_NUMBERS);
const CODES: ReadonlySet<string> = new Set<CodeColumn>(HELD_CODES);

/** Whether the columns that are held decide a search. */
export const isHeldSearch = ({ plan }: Pick<ResolvedSearch, 'plan'>): boolean =>
  plan.conditions.every(isHeld);

function isHeld(condition: Condition): boolean {
  if (isShape(condition)) return true;
  switch (condition.kind) {
    case 'areas':
    case 'flag':
      return true;
    case 'range':
    case 'numbers':
      return NUMBERS.has(condition.column);
    case 'words':
      return CODES.has(condition.column);
    default:
      return false;
  }
}
