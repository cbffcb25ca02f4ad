// URLs of queries to a RESO server.

import { PROPERTY_FIELDS } from '../mapping/property-fields.ts';
import type { PropertyShape } from './metadata.ts';

const EXPANDED: readonly string[] = ['Media', 'OpenHouse', 'OpenHouses'];

/** A literal in OData's quoting. */
function literal(key: string, { numericKey }: PropertyShape): string {
  return numericKey && /^-?\d+$/.test(key) ? key : `'${key.replaceAll("'", "''")}'`;
}

function shapeOptions({ fields, expandable }: PropertyShape): string[] {
  const select = PROPERTY_FIELDS.filter((field) => fields?.has(field));
  const expand = EXPANDED.filter((name) => expandable.has(name));
  return [
    ...(select.length > 0 ? [`$select=${select.join(',')}`] : []),
    ...(expand.length > 0 ? [`$expand=${expand.join(',')}`] : []),
  ];
}

function address(root: string, path: string, options: readonly string[]): string {
  return `${root}/${path}${options.length > 0 ? `?${options.join('&')}` : ''}`;
}

/** One listing by its key, as an entity. */
export function entityUrl(root: string, key: string, shape: PropertyShape): string {
  return address(root, `Property(${encodeURIComponent(literal(key, shape))})`, shapeOptions(shape));
}

/** One listing by its key, as a list of one, for servers that know no entities. */
export function singleUrl(root: string, key: string, shape: PropertyShape): string {
  const filter = encodeURIComponent(`ListingKey eq ${literal(key, shape)}`);
  return address(root, 'Property', [`$filter=${filter}`, '$top=1', ...shapeOptions(shape)]);
}

/** The first page of everything. */
export function loadUrl(root: string, shape: PropertyShape): string {
  return address(root, 'Property', ['$count=true', ...shapeOptions(shape)]);
}

/** The first page of what changed at or after a time. `ge`, since servers cut their own timestamps short. */
export function changesUrl(root: string, since: string, shape: PropertyShape): string {
  const filter = encodeURIComponent(`ModificationTimestamp ge ${since}`);
  return address(root, 'Property', [
    `$filter=${filter}`,
    '$orderby=ModificationTimestamp,ListingKey',
    ...shapeOptions(shape),
  ]);
}

/** The record that changed last, for where changes are to be read from once everything is loaded. */
export function newestUrl(root: string): string {
  return address(root, 'Property', [
    '$orderby=ModificationTimestamp%20desc',
    '$top=1',
    '$select=ListingKey,ModificationTimestamp',
  ]);
}
