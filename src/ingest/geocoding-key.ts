// Address of a home as a geocoder is asked for it, and the key by which its answer is kept. Pure.

import { createHash } from 'node:crypto';
import { namesInAddress } from '../gazetteer/address-names.ts';
import type { DraftAddress } from '../listings/draft.ts';
import { postalKey } from '../text/place-key.ts';
import { tokenize } from '../text/tokenize.ts';
import { addressParts } from './address-parts.ts';

/** A home's address without its unit. */
export interface GeocodingAddress {
  /** With its house number. */
  readonly street: string;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}

/** Null for an address without a house number, or of no known town: of those a geocoder knows no more than we do. */
export function geocodingAddress(address: DraftAddress): GeocodingAddress | null {
  const { street } = addressParts(address);
  const { city, state, postalCode, country } = namesInAddress(address, () => false);
  if (street === null || (city === null && postalCode === null)) return null;
  return { street, city, state, postalCode, country };
}

/** Thirty-two hexadecimal digits; the same for one address in all spellings that mean the same. Null as above. */
export function geocodingKey(address: DraftAddress): string | null {
  const known = geocodingAddress(address);
  if (known === null) return null;
  const { street, city, state, postalCode, country } = known;
  const words = [street, city, state, country].map((text) => tokenize(text ?? '').join(' '));
  const text = [...words, postalCode === null ? '' : postalKey(postalCode)].join('|');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
