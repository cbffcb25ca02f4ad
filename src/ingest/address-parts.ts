// Parts of an address that distinguish homes: house number, street and unit, read out of whole addresses too. Pure.

import type { DraftAddress } from '../listings/draft.ts';
import { isPlaceholder, isPlaceholderText } from './placeholders.ts';

export interface AddressParts {
  /** With its house number, as written; null where there is no house number, as in "0 County Road" and "TBD Highway 20". */
  readonly street: string | null;
  /** The first digits of the house number, without zeros in front. */
  readonly houseNumber: string | null;
  /** Without its word, as "2b" of "Apt. 2B", but "lot 5". */
  readonly unit: string | null;
}

export function addressParts(address: Omit<DraftAddress, 'crossStreet'>): AddressParts {
  const parts = (address.full ?? '').split(',').map((part) => part.trim());
  // "Flat 2, 10 High Street, London": the unit comes first.
  const isUnitFirst = unitOf(parts[0] ?? '', address) !== null && houseNumberOf(parts[1] ?? '') !== null;
  const [first = '', second = ''] = isUnitFirst ? parts.slice(1) : parts;
  const line = address.streetName ? `${address.streetNumber ?? ''} ${address.streetName}`.trim() : first;
  const [street, unitOfLine] = splitUnit(line);
  const unit =
    cleanUnit(address.unit) ??
    unitOfLine ??
    (isUnitFirst ? unitOf(parts[0] ?? '', address) : null) ??
    splitUnit(first)[1] ??
    unitOf(second, address);
  const houseNumber = isPlaceholderText(line) ? null : houseNumberOf(street);
  return { street: houseNumber === null ? null : street, houseNumber, unit };
}

/** Words before a unit that say nothing more. */
const PLAIN = 'unit|apartment|apt|suite|ste|flat|number|no';
/** Words before a unit that belong to it. */
const KINDS = 'lot|building|bldg|space|spc|room|rm|trailer|trlr|floor|fl|penthouse|ph';
const UNIT = new RegExp(`^(?:(?:${PLAIN})\\b\\.?\\s*#?|#)\\s*(.+)$|^((?:${KINDS})\\b.*)$`, 'i');
const NAMED = /^(?:penthouse|ph|basement|bsmt|upper|lower|front|rear)$/i;
/** A bare unit after a street, as "3B" in "Calle Mayor 12, 3B, Madrid". */
const BARE = /^(?:\d{1,4}\s?[a-z]{0,2}|[a-z]\d{1,4}|\d{1,2}\s?[ºª°]\s?[a-z]{0,3})$/i;
/** The unit at the end of a street. */
const AT_END = new RegExp(
  `^(.*[^\\s,])[\\s,]+((?:(?:${PLAIN}|${KINDS})\\b\\.?\\s*#?|#)\\s*(?:[\\w-]*\\d[\\w-]*|[a-z]))$`,
  'i',
);

/** The unit that a part of an address is; null: it is another part, such as a city. */
function unitOf(part: string, { postalCode }: Pick<DraftAddress, 'postalCode'>): string | null {
  if (NAMED.test(part)) return part.toLowerCase();
  if (BARE.test(part) && part !== postalCode) return cleanUnit(part);
  return UNIT.test(part) && /\d|^\S+\s+#?[a-z]$/i.test(part) ? cleanUnit(part) : null;
}

function cleanUnit(text: string | null): string | null {
  if (!text) return null;
  const [, plain, kind] = UNIT.exec(text.trim()) ?? [];
  const unit = (plain ?? kind ?? text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return unit === '' || isPlaceholder(unit) ? null : unit;
}

function splitUnit(line: string): [street: string, unit: string | null] {
  const [, street, unit] = AT_END.exec(line) ?? [];
  return street !== undefined && unit !== undefined ? [street, cleanUnit(unit)] : [line, null];
}

/** Roads that are called by a number: "County Road 12" has no house. */
const NUMBERED_ROAD =
  /\b(?:road|rd|highway|hwy|route|rte|rt|cr|sr|us|fm|rr|interstate|loop|mile|milepost|mp|km|parcel|block|blk|tract|section|sec|phase|box|exit|trail|county|state|sh)\.?\s+#?\S+$/i;

/** The first digits of the house number at the beginning of a street, or at its end; null where there is none. */
function houseNumberOf(street: string): string | null {
  const words = street.split(/\s+/);
  const [first = ''] = words;
  if (words.length < 2) return null;
  const isOrdinal = /^\d+(?:st|nd|rd|th)\b/i.test(first);
  const last = NUMBERED_ROAD.test(street) || !/^\d+[a-z]?$/i.test(words.at(-1) ?? '') ? '' : words.at(-1);
  const number = /\d/.test(first) && !isOrdinal ? first : last;
  const digits = /\d+/.exec(number ?? '')?.[0].replace(/^0+/, '') ?? '';
  return digits === '' || /^9{5,}$/.test(digits) ? null : digits;
}
