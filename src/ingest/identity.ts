// Ids of listings and properties, and what makes two listings the same property. Pure.

import { hash } from 'node:crypto';
import { distanceKm } from '../geometry/geometry.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { StoredRecord } from '../listings/stored-record.ts';
import { isAscii, SHORT_FORMS } from '../text/tokenize.ts';
import { addressParts } from './address-parts.ts';
import { isPlaceholder } from './placeholders.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Twenty characters of Crockford's base 32 (100 bits): URL-safe, and the same for the same text for ever. */
function shortDigest(text: string): string {
  const bytes = hash('sha256', text, 'buffer');
  let out = '';
  for (let index = 0; index < 20; index++) {
    const bit = index * 5;
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    out += ALPHABET[(pair >> (11 - (bit & 7))) & 31];
  }
  return out;
}

/** The listing's id: a digest of source and key, so that a re-import finds the same listing. */
export function listingId(source: string, listingKey: string): string {
  return `lst_${shortDigest(`${source}\n${listingKey}`)}`;
}

/** The property's id from its identity text. */
export function propertyId(identity: string): string {
  return `prp_${shortDigest(identity)}`;
}

/** What a listing says of the home it is of. */
export interface HomeEvidence
  extends Pick<ListingDraft, 'listingKey' | 'universalPropertyId' | 'parcelNumber' | 'location'> {
  readonly source: string;
  readonly addressDisplayed: boolean;
  readonly address: Omit<ListingDraft['address'], 'crossStreet'>;
}

/** A place that was found by the address says no more than the address. */
const statedPlace = (location: ListingDraft['location']): ListingDraft['location'] =>
  location?.source === undefined ? location : null;

export const draftEvidence = (source: string, draft: ListingDraft): HomeEvidence => ({
  listingKey: draft.listingKey,
  universalPropertyId: draft.universalPropertyId,
  parcelNumber: draft.parcelNumber,
  address: draft.address,
  location: statedPlace(draft.location),
  source,
  addressDisplayed: draft.display.address,
});

/** The members of a stored record that evidence is taken from. */
export type EvidenceRecord = Pick<StoredRecord, 'address' | 'location'> & {
  readonly property: Pick<StoredRecord['property'], 'parcelNumber' | 'universalPropertyId'>;
};

export function recordEvidence(
  { source, listingKey, addressDisplayed }: Pick<HomeEvidence, 'source' | 'listingKey' | 'addressDisplayed'>,
  { address, location, property }: EvidenceRecord,
): HomeEvidence {
  const { parcelNumber, universalPropertyId } = property;
  // Without a street the record has the rest of the address in its place.
  const full = address.line1 === null ? null : address.full;
  return {
    source,
    listingKey,
    addressDisplayed,
    parcelNumber,
    universalPropertyId,
    location: statedPlace(location),
    address: { ...address, full },
  };
}

/**
 * The texts that make a place the same place, best evidence first: its universal id; parcel number with county, state and
 * unit; the whole address; and last the listing alone, where all else is missing, a placeholder or withheld.
 */
export function propertyIdentities(home: HomeEvidence): readonly [string, ...string[]] {
  const { address, parcelNumber, universalPropertyId, source } = home;
  const alone = `listing|${source}|${home.listingKey}`;
  // An id that follows from the address alone would give a withheld one away to whoever tries the street's houses.
  if (!home.addressDisplayed) return [alone];
  const { street, unit } = addressParts(address);
  const texts: string[] = [];
  if (universalPropertyId && !isPlaceholder(parcelOfUniversalId(universalPropertyId)))
    texts.push(`upi|${normalizeText(universalPropertyId)}`);
  if (parcelNumber && !isPlaceholder(parcelNumber)) {
    // Parcel numbers are unique only within the office that assigns them, so county, state and unit must agree too.
    const parts = ['parcel', parcelNumber, address.county ?? source, address.state, unit];
    texts.push(parts.map(normalizeText).join('|'));
  }
  if (street && (address.postalCode || address.city)) {
    const parts = ['address', street, unit, address.city, address.state, address.postalCode];
    texts.push(parts.map(normalizeText).join('|'));
  }
  const [best = alone, ...others] = texts;
  return best === alone ? [alone] : [best, ...others, alone];
}

/** A home with its identities, best evidence first, and the id of the property that is made for each. */
export interface IdentifiedHome {
  readonly home: HomeEvidence;
  readonly identities: readonly { readonly identity: string; readonly propertyId: string }[];
}

export const identifyHome = (home: HomeEvidence): IdentifiedHome => ({
  home,
  identities: propertyIdentities(home).map((identity) => ({ identity, propertyId: propertyId(identity) })),
});

/** The best of them for a draft. */
export const propertyIdentity = (source: string, draft: ListingDraft): string =>
  propertyIdentities(draftEvidence(source, draft))[0];

/** The part that the parcel's own office assigned: of US-41033-N-12-R-N and of urn:reso:upi:2.0:US:41033:12 the 12. */
function parcelOfUniversalId(id: string): string {
  const urn = /^urn:.*:([^:]*)$/i.exec(id)?.[1];
  // Country, county, and a part of the county or N.
  const hyphenated = /^[a-z]{2}-\d+-[^-]+-(.+?)(?:-[a-z](?:-[^-]*)?)?$/i.exec(id)?.[1];
  return urn ?? hyphenated ?? id;
}

/** Kilometres between two geocodes of one home: where its house number agrees, where not, and where one is approximate. */
const SAME_HOUSE_KM = 2;
const SAME_PARCEL_KM = 0.3;
const APPROXIMATE_KM = 20;

/** Whether two listings cannot be of one home, though they share an identity: their units, house numbers or places differ. */
export function isContradicted(one: HomeEvidence, other: HomeEvidence): boolean {
  const [a, b] = [addressParts(one.address), addressParts(other.address)];
  if (a.unit !== null && b.unit !== null && normalizeText(a.unit) !== normalizeText(b.unit)) return true;
  if (a.houseNumber !== null && b.houseNumber !== null && a.houseNumber !== b.houseNumber) return true;
  if (one.location === null || other.location === null) return false;
  const isExact = one.location.precision === 'exact' && other.location.precision === 'exact';
  const isSameHouse = a.houseNumber !== null && b.houseNumber !== null;
  const limit = isExact ? (isSameHouse ? SAME_HOUSE_KM : SAME_PARCEL_KM) : APPROXIMATE_KM;
  return distanceKm(one.location, other.location) > limit;
}

/** An empty one is left out. */
const STREET_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...SHORT_FORMS, apartment: '', apt: '', unit: '', suite: '', ste: '' }),
);

/** Lower case, accents and punctuation gone, the usual street words in one spelling. */
function normalizeText(text: string | null | undefined): string {
  if (!text) return '';
  const words = isAscii(text)
    ? text.toLowerCase().split(/[^a-z0-9]+/)
    : text
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u);
  return words
    .map((word) => STREET_WORDS.get(word) ?? word)
    .filter((word) => word !== '')
    .join(' ');
}
