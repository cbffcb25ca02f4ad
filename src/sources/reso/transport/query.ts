// URLs of queries to a RESO server.

import { PROPERTY_FIELDS } from '../mapping/property-fields.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import type { PropertyShape } from './metadata.ts';
import { openHousesFrom } from './resources/offered.ts';

/** Parts of a query that some servers refuse. */
export type QueryOption = 'count' | 'select' | 'openHouses' | 'media' | 'allMedia' | 'order';

/** What queries to a server may hold. */
export interface QueryRules extends PropertyShape {
  readonly profile: Profile;
  readonly refused: ReadonlySet<QueryOption>;
  /** Whether all media of a listing are requested, of a server that sends ten where no number is requested. */
  readonly expandsAll: boolean;
  /** By what the number of records a page is divided. */
  readonly divisor: number;
}

/** How one kind of query is read. */
export type QueryProfile = Profile['changes'];

/** Where pages go on, in the order that they have. */
export interface Resumption {
  /** The watermark of the last record; null: not known. */
  readonly at: string | null;
  /** Its key; null: not known. */
  readonly key: string | null;
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

/** A text in OData's quoting. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The literal of a listing's key. */
export function literal(key: string, { numericKey }: PropertyShape): string {
  return numericKey && /^-?\d+$/.test(key) ? key : quoted(key);
}

/** A time as the server reads it. */
export const timeLiteral = (at: string, { watermark }: Profile): string =>
  watermark.literal === 'quoted' ? quoted(at) : at;

/** Every field that is read of a record: those of the mapping, and those that the profile names. */
export function wantedFields({ watermark, deletes, media, fields, licence }: Profile): readonly string[] {
  return [
    ...new Set([
      ...PROPERTY_FIELDS,
      watermark.field,
      ...[deletes.flag, licence.marks?.field].filter((field) => typeof field === 'string'),
      ...(media.from === 'inline' ? ['Media'] : []),
      ...(media.singleUse && media.mode === 'copy' ? ['PhotosChangeTimestamp'] : []),
      ...Object.keys(fields),
    ]),
  ];
}

/** The numeric key is wanted only where there is no other. */
function selected({ fields, keyField, refused, profile }: QueryRules): readonly string[] {
  if (fields === null || !profile.query.select || refused.has('select')) return [];
  return wantedFields(profile).filter(
    (field) => fields.has(field) && (field !== 'ListingKeyNumeric' || field === keyField),
  );
}

/** What is expanded, with its options. */
function expanded(rules: QueryRules): readonly string[] {
  const { query, media } = rules.profile;
  if (!query.expand) return [];
  return EXPANDED.flatMap(([name, option]) => {
    const isWanted = option === 'media' ? media.from === 'expand' : openHousesFrom(rules) === 'expand';
    return isWanted && rules.expandable.has(name) && !rules.refused.has(option)
      ? [`${name}${sizeOf(option, rules)}`]
      : [];
  });
}

function shapeOptions(rules: QueryRules): string[] {
  const select = selected(rules);
  const expand = expanded(rules);
  return [
    ...(select.length > 0 ? [`$select=${select.join(',')}`] : []),
    ...(expand.length > 0 ? [`$expand=${expand.join(',')}`] : []),
    ...parametersOf(rules.profile.parameters),
  ];
}

function sizeOf(option: QueryOption, { expandsAll, refused, profile }: QueryRules): string {
  if (option !== 'media' || refused.has('allMedia')) return '';
  const max = expandsAll ? MAX_MEDIA : profile.media.max;
  return max === null ? '' : `($top=${max})`;
}

const parametersOf = (parameters: Readonly<Record<string, string>>): string[] =>
  Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);

/** The address of a query. */
export function address(root: string, path: string, options: readonly string[]): string {
  return `${root}/${path}${options.length > 0 ? `?${options.join('&')}` : ''}`;
}

/** The conditions of every query, and those of this one. */
export function filterOf(
  { originatingSystem, filter }: Pick<Profile, 'originatingSystem' | 'filter'>,
  conditions: readonly (string | null)[],
): string[] {
  const all = [
    ...(originatingSystem === null ? [] : [`OriginatingSystemName eq ${quoted(originatingSystem)}`]),
    ...[filter, ...conditions].filter((condition) => condition !== null),
  ];
  if (all.length === 0) return [];
  const joined = all
    .map((each) => (all.length > 1 && /\bor\b/.test(each) ? `(${each})` : each))
    .join(' and ');
  return [`$filter=${encodeURIComponent(joined)}`];
}

/** Records a page of a query: of one that expands children, some servers send fewer. */
export function pageSize(rules: QueryRules, size: number | null): number {
  const { page } = rules.profile;
  const wanted = size ?? page.size;
  const allowed = expanded(rules).length > 0 ? Math.min(wanted, page.expandedSize ?? wanted) : wanted;
  return Math.max(1, Math.floor(allowed / rules.divisor));
}

/** The size of a page where it stands in the query. */
export const topOf = (rules: QueryRules, size: number | null): string[] =>
  rules.profile.page.by === 'top' ? [`$top=${pageSize(rules, size)}`] : [];

/** What $metadata is read from; some servers send none without the name of a system. */
export function metadataUrl(root: string, profile: Profile): string {
  const named =
    profile.query.originatingSystem === 'required' ? filterOf({ ...profile, filter: null }, []) : [];
  return address(root, '$metadata', named);
}

/** One listing by its key, as an entity. */
export function entityUrl(root: string, key: string, rules: QueryRules): string {
  return address(root, `Property(${encodeURIComponent(literal(key, rules))})`, shapeOptions(rules));
}

/** One listing, as a list of one, for servers that know no entities: by its key, or by its public number. */
export function singleUrl(
  root: string,
  key: string,
  rules: QueryRules,
  field = rules.keyField as string,
): string {
  const value = field === rules.keyField ? literal(key, rules) : quoted(key);
  const filter = filterOf(rules.profile, [`${field} eq ${value}`]);
  return address(root, 'Property', [...filter, '$top=1', ...shapeOptions(rules)]);
}

/** One listing with its pictures, whose addresses are made for this answer. */
export function picturesUrl(
  root: string,
  { key, listingId }: { readonly key: string; readonly listingId: string | null },
  rules: QueryRules,
): string {
  const { media, page, parameters } = rules.profile;
  const condition =
    media.request === 'id'
      ? `ListingId eq ${quoted(listingId ?? '')}`
      : `${rules.keyField} eq ${literal(key, rules)}`;
  const filter = filterOf({ ...rules.profile, filter: null }, [condition]);
  const top = page.by === 'top' ? ['$top=1'] : [];
  return address(root, 'Property', [...filter, ...top, '$expand=Media', ...parametersOf(parameters)]);
}

/** The condition that a field is one of these literals. */
export const anyOf = (field: string, literals: readonly string[], { query }: Profile): string =>
  query.in
    ? `${field} in (${literals.join(',')})`
    : literals.map((each) => `${field} eq ${each}`).join(' or ');

/** Listings by their keys. */
export function keysUrl(root: string, keys: readonly string[], rules: QueryRules): string {
  const literals = keys.map((key) => literal(key, rules));
  const filter = filterOf(rules.profile, [anyOf(rules.keyField, literals, rules.profile)]);
  const top = rules.profile.page.by === 'top' ? [`$top=${keys.length}`] : [];
  return address(root, 'Property', [...filter, ...top, ...shapeOptions(rules)]);
}

/** The condition of pages that go on behind a record; undefined: the order of the pages does not allow that. */
function behind(
  order: QueryProfile['order'],
  { at, key }: Resumption,
  rules: QueryRules,
): string | undefined {
  const { field } = rules.profile.watermark;
  const isSorted = order === 'requested' && !rules.refused.has('order');
  if (order === 'key' && key !== null) return `${rules.keyField} gt ${literal(key, rules)}`;
  const moment = at === null ? null : timeLiteral(at, rules.profile);
  if (order === 'watermark' && moment !== null) return `${field} ge ${moment}`;
  // Among records of one moment the key says how far the pages had come.
  if (isSorted && moment !== null && key !== null)
    return `${field} gt ${moment} or (${field} eq ${moment} and ${rules.keyField} gt ${literal(key, rules)})`;
  return undefined;
}

/** Whether pages of a query can go on behind a record without their link. */
export const canResume = (query: QueryProfile, from: Resumption, rules: QueryRules): boolean =>
  behind(query.order, from, rules) !== undefined;

function orderOf({ order }: QueryProfile, rules: QueryRules): string[] {
  if (order !== 'requested' || rules.refused.has('order')) return [];
  return [`$orderby=${rules.profile.watermark.field},${rules.keyField}`];
}

/** The first page of everything, or of what is left of it. */
export function loadUrl(root: string, rules: QueryRules, from: Resumption | null = null): string {
  const { load } = rules.profile;
  const rest = from === null ? null : (behind(load.order, from, rules) ?? null);
  return address(root, load.path, [
    ...(load.count !== 'page' || rules.refused.has('count') ? [] : ['$count=true']),
    ...filterOf(rules.profile, [load.filter, rest]),
    ...orderOf(load, rules),
    ...topOf(rules, load.size),
    ...shapeOptions(rules),
    ...parametersOf(load.parameters),
  ]);
}

/** How many records there are, beside one of them. */
export function countUrl(root: string, rules: QueryRules): string {
  const select =
    rules.refused.has('select') || !rules.profile.query.select ? [] : [`$select=${rules.keyField}`];
  const filter = filterOf(rules.profile, [rules.profile.load.filter]);
  return address(root, 'Property', ['$count=true', ...filter, '$top=1', ...select]);
}

/**
 * The first page of what changed at or after a time, or of what is left of it. `ge`, since servers cut their own timestamps
 * short.
 */
export function changesUrl(
  root: string,
  since: string,
  rules: QueryRules,
  from: Resumption | null = null,
): string {
  const { changes, watermark } = rules.profile;
  const rest = from === null ? undefined : behind(changes.order, from, rules);
  const isWhole = rest === undefined || changes.order === 'key';
  return address(root, changes.path, [
    ...filterOf(rules.profile, [
      changes.filter,
      isWhole ? `${watermark.field} ge ${timeLiteral(since, rules.profile)}` : null,
      rest ?? null,
    ]),
    ...orderOf(changes, rules),
    ...topOf(rules, changes.size),
    ...shapeOptions(rules),
    ...parametersOf(changes.parameters),
  ]);
}

/** The record that changed last, for where changes are to be read from once everything is loaded; of those up to a time. */
export function newestUrl(root: string, rules: QueryRules, until: string | null = null): string {
  const { field } = rules.profile.watermark;
  const isSelected = rules.profile.query.select && !rules.refused.has('select');
  return address(root, 'Property', [
    ...filterOf(rules.profile, [until === null ? null : `${field} le ${timeLiteral(until, rules.profile)}`]),
    `$orderby=${field}%20desc`,
    '$top=1',
    ...(isSelected ? [`$select=${rules.keyField},${field}`] : []),
  ]);
}

/** The first page of all keys. */
export function sweepUrl(root: string, rules: QueryRules): string {
  const { deletes, load, watermark } = rules.profile;
  const { path, size } = deletes.sweep ?? { path: load.path, size: load.size };
  // A field that $metadata does not name would be refused.
  const isStated = deletes.sweep?.watermark === true && rules.fields?.has(watermark.field) === true;
  return address(root, path, [
    ...filterOf(rules.profile, [load.filter]),
    ...topOf(
      { ...rules, profile: { ...rules.profile, query: { ...rules.profile.query, expand: false } } },
      size,
    ),
    `$select=${[rules.keyField, ...(isStated ? [watermark.field] : [])].join(',')}`,
  ]);
}
