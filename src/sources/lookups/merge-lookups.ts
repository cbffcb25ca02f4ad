// Lookups that are kept after a reading: renamed values keep their former spellings, and those that left keep their meaning. Pure.

import { isDeepStrictEqual } from 'node:util';
import type { KnownLookup, LookupAnswer, StatedLookup } from './source-lookups.ts';

/** Lookups that are kept of a source. */
export const MAX_LOOKUPS = 50_000;
/** Characters of all their texts. */
export const MAX_LOOKUP_TEXT = 8_000_000;
/** Earlier spellings of one lookup. */
const MAX_FORMER = 10;

export interface LookupChanges {
  /** New ones, and those that are others than before. */
  readonly changed: readonly KnownLookup[];
  /** Those for which there is no room. */
  readonly dropped: readonly KnownLookup[];
}

const nameOf = ({ origin, lookup, key }: StatedLookup): string => JSON.stringify([origin, lookup, key]);

/** What changes of the lookups that are kept. */
export function mergeLookups(
  known: readonly KnownLookup[],
  { lookups, whole }: Pick<LookupAnswer, 'lookups' | 'whole'>,
): LookupChanges {
  const before: ReadonlyMap<string, KnownLookup> = new Map(known.map((each) => [nameOf(each), each]));
  const next = new Map(before);
  const stated = new Set<string>();
  for (const lookup of lookups) {
    const name = nameOf(lookup);
    stated.add(name);
    next.set(name, withFormer(lookup, next.get(name)));
  }
  for (const [name, each] of next)
    if (whole.includes(each.origin) && !stated.has(name)) next.set(name, { ...each, isGone: true });
  const left = new Map(withinBounds([...next.values()]).map((each) => [nameOf(each), each]));
  return {
    changed: [...left].flatMap(([name, each]) => (isDeepStrictEqual(each, before.get(name)) ? [] : [each])),
    dropped: known.filter((each) => !left.has(nameOf(each))),
  };
}

function withFormer(
  { origin, lookup, key, value, standard, legacy, modifiedAt }: StatedLookup,
  known: KnownLookup | undefined,
): KnownLookup {
  const spellings = known === undefined ? [] : [known.value, known.legacy, ...known.former];
  const former = spellings.filter((each) => each !== null && each !== value && each !== legacy);
  return {
    origin,
    lookup,
    key,
    value,
    standard,
    legacy,
    modifiedAt,
    former: [...new Set(former as string[])].slice(0, MAX_FORMER),
    isGone: false,
  };
}

const lengthOf = ({ lookup, key, value, standard, legacy, former }: KnownLookup): number =>
  [lookup, key, value, standard ?? '', legacy ?? '', ...former].reduce((sum, text) => sum + text.length, 0);

/** As many as there is room for; those that left make room first. */
function withinBounds(all: readonly KnownLookup[]): readonly KnownLookup[] {
  let room = MAX_LOOKUP_TEXT;
  return all
    .toSorted((a, b) => Number(a.isGone) - Number(b.isGone))
    .slice(0, MAX_LOOKUPS)
    .filter((each) => {
      room -= lengthOf(each);
      return room >= 0;
    });
}
