// URLs of queries for resources beside Property.

import { address, anyOf, filterOf, literal, type QueryRules, quoted, timeLiteral, topOf } from '../query.ts';
import type { ContactResource } from './offered.ts';

/** Conditions of a resource beside Property: the filter of the profile is about listings. */
function conditions(resource: string, rules: QueryRules, ...own: readonly string[]): string[] {
  const { originatingSystem, query } = rules.profile;
  const isKnown = rules.resources.get(resource)?.has('OriginatingSystemName') ?? true;
  const named = isKnown || query.originatingSystem === 'required' ? originatingSystem : null;
  return filterOf({ originatingSystem: named, filter: null }, own);
}

const literalsOf = (keys: readonly string[], rules: QueryRules): string[] =>
  keys.map((key) => literal(key, rules));

/** What is requested of a resource: those of these fields that it has, or the whole record where that is not known. */
function selectOf(resource: string, fields: readonly string[], rules: QueryRules): string[] {
  const known = rules.resources.get(resource);
  const wanted = known === undefined ? [] : fields.filter((field) => known.has(field));
  return wanted.length > 0 && rules.profile.query.select ? [`$select=${wanted.join(',')}`] : [];
}

/** Photos of listings. */
export function mediaUrl(root: string, keys: readonly string[], rules: QueryRules): string {
  const condition = anyOf('ResourceRecordKey', keys.map(quoted), rules.profile);
  return address(root, 'Media', [...conditions('Media', rules, condition), ...topOf(rules, null)]);
}

/** Open houses of listings. */
export function openHousesUrl(root: string, keys: readonly string[], rules: QueryRules): string {
  const literals = literalsOf(keys, rules);
  return address(root, 'OpenHouse', [
    ...conditions('OpenHouse', rules, anyOf('ListingKey', literals, rules.profile)),
    ...topOf(rules, null),
  ]);
}

/** Which listings photos or open houses belong to, by the keys of these. */
export function parentsUrl(
  root: string,
  resource: 'Media' | 'OpenHouse',
  keys: readonly string[],
  rules: QueryRules,
): string {
  const [key, parent] =
    resource === 'Media' ? ['MediaKey', 'ResourceRecordKey'] : ['OpenHouseKey', 'ListingKey'];
  return address(root, resource, [
    ...conditions(resource, rules, anyOf(key, literalsOf(keys, rules), rules.profile)),
    ...topOf(rules, null),
    ...selectOf(resource, [key, parent], rules),
  ]);
}

/** Agents or offices by their keys. */
export function contactsUrl(
  root: string,
  resource: ContactResource,
  keys: readonly string[],
  fields: readonly string[],
  rules: QueryRules,
): string {
  return address(root, resource, [
    ...conditions(resource, rules, anyOf(`${resource}Key`, literalsOf(keys, rules), rules.profile)),
    ...topOf(rules, null),
    ...selectOf(resource, fields, rules),
  ]);
}

/** What changed of a resource at or after a time; without one, open houses that are not over at this time. */
export function changedUrl(
  root: string,
  resource: string,
  {
    since,
    now,
    fields,
  }: { readonly since: string | null; readonly now: string; readonly fields: readonly string[] },
  rules: QueryRules,
): string {
  const { watermark, changes } = rules.profile;
  const isDated = rules.resources.get(resource)?.has('OpenHouseDate') ?? true;
  const coming = isDated ? `OpenHouseDate ge ${now.slice(0, 10)}` : `OpenHouseStartTime ge ${now}`;
  // Where $metadata forgets it, it comes with whole records.
  const hasWatermark = rules.resources.get(resource)?.has(watermark.field) ?? true;
  const isSorted = since !== null && changes.order === 'requested' && !rules.refused.has('order');
  return address(root, resource, [
    ...conditions(
      resource,
      rules,
      since === null ? coming : `${watermark.field} ge ${timeLiteral(since, rules.profile)}`,
    ),
    ...(isSorted ? [`$orderby=${watermark.field},${resource}Key`] : []),
    ...topOf(rules, null),
    ...(hasWatermark ? selectOf(resource, [...fields, watermark.field], rules) : []),
  ]);
}

/** Lookups that changed at or after a time; without one, all of them. */
export function lookupsUrl(root: string, since: string | null, rules: QueryRules): string {
  const changed = since === null ? [] : [`ModificationTimestamp ge ${timeLiteral(since, rules.profile)}`];
  return address(root, 'Lookup', [...conditions('Lookup', rules, ...changed), ...topOf(rules, null)]);
}

/** Events behind a sequence, in their order. */
export function eventsUrl(root: string, after: string, rules: QueryRules): string {
  return address(root, 'EntityEvent', [
    ...conditions('EntityEvent', rules, `EntityEventSequence gt ${after}`),
    '$orderby=EntityEventSequence',
    ...topOf(rules, null),
  ]);
}

/** The event that came last. */
export const newestEventUrl = (root: string, rules: QueryRules): string =>
  address(root, 'EntityEvent', [
    ...conditions('EntityEvent', rules),
    '$orderby=EntityEventSequence%20desc',
    '$top=1',
  ]);
