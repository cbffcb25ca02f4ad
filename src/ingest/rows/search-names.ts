// Names of a listing that filters take, as its source writes them, for suggestions and facets. Pure.

import type { NewChange } from '../../changes/change-store.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { SearchRow } from '../../listings/search-row.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { ListingSnapshot } from './search-row.ts';

/** A name, with what filters compare it by. */
export interface SearchName {
  readonly listingType: ListingType;
  readonly licenceNo: number;
  /** The filter. */
  readonly kind: string;
  readonly key: string;
  readonly name: string;
}

/** Members of a record that names come from, and whether it is displayed: names of withheld listings are not shown. */
const NAMED: ReadonlySet<string> = new Set([
  'address',
  'propertySubType',
  'features',
  'saleConditions',
  'rental',
  'display',
  'provider',
  'listingType',
]);

/** Whether a change may bring names. */
export const mayBringNames = ({ kind, changed }: NewChange<ChangeState>): boolean =>
  kind === 'created' || changed.some((name) => NAMED.has(name));

/** The names of a listing that may be shown; `row` is its own. */
export function searchNames({ record, displayed, licenceNo }: ListingSnapshot, row: SearchRow): SearchName[] {
  if (!displayed) return [];
  const { address, rental } = record;
  const named = (kind: string, key: string | null, name: string | null): SearchName[] =>
    key === null || name === null
      ? []
      : [{ listingType: row.listing_type, licenceNo, kind, key, name: name.trim() }];
  const each = (kind: string, keys: readonly string[], names: readonly string[]): SearchName[] =>
    keys.flatMap((key, at) => named(kind, key, names[at] ?? key));
  return [
    ...named('city', row.city, address.city),
    ...named('neighborhood', row.neighborhood, address.neighborhood),
    ...named('county', row.county, address.county),
    ...named('state', row.state, address.state),
    ...named('country', row.country, address.country),
    ...named('postalCode', row.postal_code, address.postalCode),
    ...named('propertySubType', row.property_sub_type, record.propertySubType),
    ...named('furnished', row.furnished, rental?.furnished ?? null),
    ...each('features', row.features, record.features),
    ...each('pets', row.pets, rental?.pets ?? []),
    ...each('utilitiesIncluded', row.utilities, rental?.utilitiesIncluded ?? []),
    ...each('saleCondition', row.sale_conditions, record.saleConditions),
  ].filter(({ key }) => key !== '');
}
