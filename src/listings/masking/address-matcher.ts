// Address matcher: finds and hides the street address of one home in what people wrote about it.

import { decodePercent } from '../../lib/parse.ts';
import { foldText, foldWhole } from '../../text/folded-text.ts';
import { tokenize } from '../../text/tokenize.ts';
import type { StoredRecord } from '../stored-record.ts';
import { addressHints, addressPattern, readStreetAddress, type StreetAddress } from './address-pattern.ts';

export interface AddressMatcher {
  /** Whether the text contains the address. */
  isIn(text: string): boolean;
  /** The text with every spelling of the address replaced. */
  mask(text: string): string;
}

type Span = readonly [from: number, to: number];

const WITHHELD = '(address withheld)';

/** Matches all spellings that searches treat as equal: abbreviations, directions, ordinals, case, accents, punctuation. */
export function addressMatcher(address: StoredRecord['address']): AddressMatcher {
  const streets = streetAddresses(address);
  const hints = addressHints(streets);
  let pattern: RegExp | null | undefined;
  const find = (text: string): Span[] => {
    // Most texts contain no street: checking for hints is much faster than the pattern.
    const letters = foldWhole(text);
    if (!hints.some((hint) => letters.includes(hint))) return [];
    pattern ??= addressPattern(streets);
    return pattern === null ? [] : spansOf(text, pattern);
  };
  return {
    isIn: (text) => find(text).length > 0 || (text.includes('%') && find(decoded(text)).length > 0),
    mask(text) {
      let [masked, end] = ['', 0];
      for (const [from, to] of find(text)) {
        masked += text.slice(end, from) + WITHHELD;
        end = to;
      }
      return masked + text.slice(end);
    },
  };
}

function streetAddresses(address: StoredRecord['address']): StreetAddress[] {
  const unit = tokenize(address.unit ?? '');
  const read = [...(address.full ?? '').split(',').slice(0, 2), address.line1 ?? '']
    .map(readStreetAddress)
    // The second part of an address is its town, unless the first is a unit alone.
    .filter(({ street }, at, all) => street.length > 0 && (at !== 1 || all[0]?.street.length === 0));
  const number = tokenize(address.streetNumber ?? '');
  const own = {
    number: number.length > 0 ? number : (read[0]?.number ?? []),
    street: tokenize(address.streetName ?? ''),
    unit,
  };
  // Cross streets are listed without a number.
  const crossing = (address.crossStreet ?? '').split(/[&/,;]|\band\b|\bat\b/i).map(tokenize);
  const houses = [own, ...read.map((each) => (unit.length === 0 ? each : { ...each, unit }))];
  return [
    // "Main" alone is not an address if the street is "Main St".
    ...houses.filter(({ street }) => !houses.some((other) => isBeginning(street, other.street))),
    ...[tokenize(address.crossStreet ?? ''), ...crossing]
      .filter((street) => street.length > 1)
      .map((street) => ({ number: [], street, unit: [] })),
  ];
}

const isBeginning = (short: readonly string[], long: readonly string[]): boolean =>
  short.length < long.length && short.every((word, at) => word === long[at]);

/** The matches in order, with overlapping ones joined. */
function spansOf(text: string, pattern: RegExp): Span[] {
  const spans = (['dropped', 'blank'] as const).flatMap((silent) => {
    const { letters, places } = foldText(text, silent);
    return [...letters.matchAll(pattern)].map(
      ({ index, 0: met }): Span => [places[index]?.[0] ?? 0, places[index + met.length - 1]?.[1] ?? 0],
    );
  });
  const apart: Span[] = [];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = apart.at(-1);
    if (last && from <= last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], to)];
    else apart.push([from, to]);
  }
  return apart;
}

const decoded = (text: string): string => decodePercent(text) ?? text;
