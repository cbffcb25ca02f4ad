// Resources beside Property: which of them are read, and how, by the profile and by what $metadata has.

import { canJoinKeys } from '../../profiles/profile.ts';
import type { Profile } from '../../profiles/profile-schema.ts';

/** What is known of a server. */
interface Offer {
  readonly profile: Profile;
  /** Fields of Property; null: not known. */
  readonly fields: ReadonlySet<string> | null;
  readonly expandable: ReadonlySet<string>;
  readonly resources: ReadonlyMap<string, ReadonlySet<string>>;
  /** Options of queries that the server refuses. */
  readonly refused: ReadonlySet<string>;
}

/** A resource whose records name what a listing shows. */
export type ContactResource = 'Member' | 'Office';

/** Resources whose changes are followed beside those of listings. */
export type FollowedResource = 'EntityEvent' | 'OpenHouse' | ContactResource;

const has = ({ resources }: Offer, name: string, ...fields: readonly string[]): boolean => {
  const known = resources.get(name);
  return known !== undefined && fields.every((field) => known.has(field));
};

/** Whether the log of EntityEvents is read. */
export function readsEvents(offer: Offer): boolean {
  const { from } = offer.profile.events;
  const isOffered = has(offer, 'EntityEvent', 'EntityEventSequence', 'ResourceName', 'ResourceRecordKey');
  return from === 'resource' || (from === 'offered' && isOffered);
}

/** Whether lookups are read. */
export function readsLookups(offer: Offer): boolean {
  const { from } = offer.profile.lookups;
  return from === 'resource' || (from === 'offered' && has(offer, 'Lookup', 'LookupName', 'LookupValue'));
}

/** Where open houses come from; null: from nowhere. */
export function openHousesFrom(offer: Offer): 'expand' | 'resource' | null {
  const { profile, expandable, refused } = offer;
  const { from } = profile.openHouses;
  if (from === 'none') return null;
  if (from === 'resource') return from;
  const names = ['OpenHouse', 'OpenHouses'].filter((name) => expandable.has(name));
  if (profile.query.expand && names.length > 0 && !refused.has('openHouses')) return 'expand';
  const isResource =
    from === 'offered' &&
    canJoinKeys(profile) &&
    has(offer, 'OpenHouse', 'ListingKey', profile.watermark.field);
  return isResource ? 'resource' : null;
}

/** Whether open houses can be listed apart from their listings, wherever those of a listing come from. */
export const listsOpenHouses = (offer: Offer): boolean =>
  openHousesFrom(offer) === 'resource' || has(offer, 'OpenHouse', 'OpenHouseKey', 'ListingKey');

/** Whether photos can be requested as a resource where an expansion does not bring all of them. */
export const hasMediaResource = (offer: Offer): boolean =>
  canJoinKeys(offer.profile) && has(offer, 'Media', 'ResourceRecordKey', 'MediaURL');

/** Whether photos are read as a resource: by the profile, or since the server refuses to expand them. */
export function readsMedia(offer: Offer): boolean {
  const { from } = offer.profile.media;
  return from === 'resource' || (from === 'expand' && offer.refused.has('media') && hasMediaResource(offer));
}

/** Children of listings that are read as resources, so that a listing may come without them. */
export const childResources = (offer: Offer): readonly string[] => [
  ...(readsMedia(offer) ? ['Media'] : []),
  ...(openHousesFrom(offer) === 'resource' ? ['OpenHouse'] : []),
];

/** Fields of Property that name an agent or an office, beside its key. */
const NAMES: Readonly<Record<ContactResource, readonly string[]>> = {
  Member: ['ListAgentFullName', 'ListAgentLastName'],
  Office: ['ListOfficeName'],
};

/** Whether names and telephones are joined to the keys of agents, or of offices. */
export function joinsContacts(offer: Offer, resource: ContactResource): boolean {
  const { profile, fields } = offer;
  const { from } = profile.contacts;
  if (from === 'record') return false;
  if (from === 'resource') return true;
  const key = resource === 'Member' ? 'ListAgentKey' : 'ListOfficeKey';
  if (!fields?.has(key) || NAMES[resource].some((field) => fields.has(field))) return false;
  return canJoinKeys(profile) && has(offer, resource, `${resource}Key`);
}

/** Resources whose changes are followed beside those of listings, events first. */
export function followedResources(offer: Offer): readonly FollowedResource[] {
  return [
    ...(readsEvents(offer) ? (['EntityEvent'] as const) : []),
    ...(openHousesFrom(offer) === 'resource' ? (['OpenHouse'] as const) : []),
    ...(['Member', 'Office'] as const).filter((resource) => joinsContacts(offer, resource)),
  ];
}
