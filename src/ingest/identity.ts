// Ids of listings and properties, and when two listings are the same property.

import { createHash } from 'node:crypto';
import type { ListingDraft } from '../listings/draft.ts';
import { SHORT_FORMS } from '../text/tokenize.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Twenty characters of Crockford's base 32 (100 bits): URL-safe, and the same for the same text for ever. */
function shortDigest(text: string): string {
  const bytes = createHash('sha256').update(text).digest();
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

/**
 * The text that makes a place the same place, by the best evidence that the source gives: its universal id; parcel
 * number with county, state and unit; the whole address; and, for want of all or where the address is withheld, the
 * listing alone.
 */
export function propertyIdentity(source: string, draft: ListingDraft): string {
  const { address } = draft;
  // An id that follows from the address alone would give a withheld one away to whoever tries the street's houses.
  if (!draft.display.address) return `listing|${source}|${draft.listingKey}`;
  if (draft.universalPropertyId) return `upi|${normalizeText(draft.universalPropertyId)}`;
  if (draft.parcelNumber) {
    // Parcel numbers are unique only within the office that assigns them, so county, state and unit must agree too.
    return ['parcel', draft.parcelNumber, address.county ?? source, address.state, address.unit]
      .map(normalizeText)
      .join('|');
  }
  const street = address.streetName
    ? `${address.streetNumber ?? ''} ${address.streetName}`
    : streetOf(address.full);
  if (street && /\d/.test(street) && (address.postalCode || address.city)) {
    return ['address', street, address.unit, address.city, address.state, address.postalCode]
      .map(normalizeText)
      .join('|');
  }
  return `listing|${source}|${draft.listingKey}`;
}

/** The first line of a full address, which is the street in every form that feeds use. */
function streetOf(full: string | null): string | null {
  return full?.split(',')[0]?.trim() || null;
}

const STREET_WORDS: Readonly<Record<string, string>> = {
  ...SHORT_FORMS,
  apartment: '',
  apt: '',
  unit: '',
  suite: '',
  ste: '',
};

/** Lower case, accents and punctuation gone, the usual street words in one spelling. */
function normalizeText(text: string | null | undefined): string {
  return (text ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .map((word) => (Object.hasOwn(STREET_WORDS, word) ? (STREET_WORDS[word] ?? word) : word))
    .filter((word) => word !== '')
    .join(' ');
}
