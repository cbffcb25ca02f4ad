// URLs of queries to a RESO server.

import { PROPERTY_FIELDS } from '../mapping/property-fields.ts';
import type { PropertyShape } from './metadata.ts';

/** Parts of a query that some servers refuse. */
export type QueryOption = 'count' | 'select' | 'openHouses' | 'media' | 'allMedia' | 'order';

/** What queries to a server may hold. */
export interface QueryRules extends PropertyShape {
  readonly refused: ReadonlySet<QueryOption>;
  /** Whether all media of a listing are requested, of a server that sends ten where no number is requested. */
  readonly expandsAll: boolean;
}

/** Media of one listing that are requested, and kept. */
const MAX_MEDIA = 500;

/** What can be expanded, by the option that it belongs to. */
const EXPANDED: readonly (readonly [name: string, option: QueryOption])[] = [
  ['Media', 'media'],
  ['OpenHouse', 'openHouses'],
  ['OpenHouses', 'openHouses'],
];

/** Names of what is not expanded since the server refuses it. */
export const refusedParts = (refused: ReadonlySet<QueryOption>): readonly string[] => [
  ...(refused.has('media') ? ['Media'] : []),
  ...(refused.has('openHouses') ? ['OpenHouse'] : []),
];

/** A literal in OData's quoting. */
function literal(key: string, { numericKey }: PropertyShape): string {
  return numericKey && /^-?\d+$/.test(key) ? key : `'${key.replaceAll("'", "''")}'`;
}

/** The numeric key is wanted only where there is no other. */
function selected({ fields, keyField, refused }: QueryRules): readonly string[] {
  if (fields === null || refused.has('select')) return [];
  return PROPERTY_FIELDS.filter(
    (field) => fields.has(field) && (field !== 'ListingKeyNumeric' || field === keyField),
  );
}

function shapeOptions(rules: QueryRules): string[] {
  const select = selected(rules);
  const expand = EXPANDED.flatMap(([name, option]) =>
    rules.expandable.has(name) && !rules.refused.has(option) ? [`${name}${sizeOf(option, rules)}`] : [],
  );
  return [
    ...(select.length > 0 ? [`$select=${select.join(',')}`] : []),
    ...(expand.length > 0 ? [`$expand=${expand.join(',')}`] : []),
  ];
}

function sizeOf(option: QueryOption, { expandsAll, refused }: QueryRules): string {
  return option === 'media' && expandsAll && !refused.has('allMedia') ? `($top=${MAX_MEDIA})` : '';
}

function address(root: string, path: string, options: readonly string[]): string {
  return `${root}/${path}${options.length > 0 ? `?${options.join('&')}` : ''}`;
}

/** One listing by its key, as an entity. */
export function entityUrl(root: string, key: string, rules: QueryRules): string {
  return address(root, `Property(${encodeURIComponent(literal(key, rules))})`, shapeOptions(rules));
}

/** One listing by its key, as a list of one, for servers that know no entities. */
export function singleUrl(root: string, key: string, rules: QueryRules): string {
  const filter = encodeURIComponent(`${rules.keyField} eq ${literal(key, rules)}`);
  return address(root, 'Property', [`$filter=${filter}`, '$top=1', ...shapeOptions(rules)]);
}

/** The first page of everything. */
export function loadUrl(root: string, rules: QueryRules): string {
  const count = rules.refused.has('count') ? [] : ['$count=true'];
  return address(root, 'Property', [...count, ...shapeOptions(rules)]);
}

/** How many records there are, beside one of them. */
export function countUrl(root: string, rules: QueryRules): string {
  const select = rules.refused.has('select') ? [] : [`$select=${rules.keyField}`];
  return address(root, 'Property', ['$count=true', '$top=1', ...select]);
}

/** The first page of what changed at or after a time. `ge`, since servers cut their own timestamps short. */
export function changesUrl(root: string, since: string, rules: QueryRules): string {
  const filter = encodeURIComponent(`ModificationTimestamp ge ${since}`);
  const order = rules.refused.has('order') ? [] : [`$orderby=ModificationTimestamp,${rules.keyField}`];
  return address(root, 'Property', [`$filter=${filter}`, ...order, ...shapeOptions(rules)]);
}

/** The record that changed last, for where changes are to be read from once everything is loaded; of those up to a time. */
export function newestUrl(root: string, rules: QueryRules, until: string | null = null): string {
  return address(root, 'Property', [
    ...(until === null ? [] : [`$filter=${encodeURIComponent(`ModificationTimestamp le ${until}`)}`]),
    '$orderby=ModificationTimestamp%20desc',
    '$top=1',
    ...(rules.refused.has('select') ? [] : [`$select=${rules.keyField},ModificationTimestamp`]),
  ]);
}
