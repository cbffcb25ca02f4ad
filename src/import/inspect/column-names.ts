// Names of columns: which field each of them could be, by the words of vocabularies and languages.

import { distance } from 'fastest-levenshtein';
import VOCABULARY from './vocabulary.json' with { type: 'json' };

/** Fields by how well a name fits them, above 0 and up to 1. */
export type NameScores = ReadonlyMap<string, number>;

interface Synonym {
  readonly field: string;
  readonly vocabulary: string;
  readonly words: readonly string[];
  readonly key: string;
}

/** Words of a name that do not say what it is of. */
const NOISE = new Set(
  'the of de del des la le les in en der die das property listing eur usd gbp chf euro euros dollars value number no nr num n total ca approx'.split(
    ' ',
  ),
);
const UNITS = new Set('m2 sqm qm sqft ft2 acres acre ha hectares k 000s 000 thousands'.split(' '));

/** Words of a name: accents and case away, camel case and punctuation parted. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/²/g, '2')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}@#]+/gu, ' ')
    .trim()
    .split(' ')
    .filter((word) => word !== '');
}

const SYNONYMS: readonly Synonym[] = Object.entries(
  VOCABULARY as Readonly<Record<string, Readonly<Record<string, readonly string[] | undefined>>>>,
).flatMap(([field, vocabularies]) =>
  Object.entries(vocabularies).flatMap(([vocabulary, names]) =>
    [...(names ?? []), ...(vocabulary === 'reso' ? [field] : [])].map((name) => {
      const words = wordsOf(name);
      return { field, vocabulary, words, key: words.join('') };
    }),
  ),
);

const EXACT = 1;
const STRIPPED = 0.95;
const TAIL = 0.9;
const MISSPELT = 0.8;

/** How well a name fits the fields; only those that it fits at all. */
export function scoreName(name: string): NameScores {
  const words = wordsOf(name);
  const stripped = words.filter((word) => !NOISE.has(word) && !UNITS.has(word));
  // `address.city` and `property/location/lat` end in what they are.
  const tail = wordsOf(name.split(/[./]/).at(-1) ?? '');
  const keys = { whole: words.join(''), stripped: stripped.join(''), tail: tail.join('') };
  const scores = new Map<string, number>();
  const note = (field: string, score: number): void => {
    if (score > (scores.get(field) ?? 0)) scores.set(field, score);
  };
  for (const { field, key, words: own } of SYNONYMS) {
    if (key === keys.whole) note(field, EXACT);
    else if (key === keys.stripped) note(field, STRIPPED);
    else if (key === keys.tail) note(field, TAIL);
    else if (isMisspelt(keys.whole, key)) note(field, MISSPELT);
    else if (own.join('').length > 2 && holds(stripped, own))
      note(field, 0.45 + (0.25 * own.length) / Math.max(1, stripped.length));
  }
  return scores;
}

/** Languages of headings with the number of columns that only they explain. */
export function languagesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const key = wordsOf(name).join('');
    const languages = new Set(
      SYNONYMS.filter((each) => each.key === key).map(({ vocabulary }) => vocabulary),
    );
    const foreign = ['es', 'de', 'fr'].filter((language) => languages.has(language));
    const [only] = foreign;
    if (foreign.length === 1 && only !== undefined && languages.size === 1)
      counts.set(only, (counts.get(only) ?? 0) + 1);
  }
  return counts;
}

function isMisspelt(key: string, synonym: string): boolean {
  const max = synonym.length >= 9 ? 2 : synonym.length >= 5 ? 1 : 0;
  if (max === 0 || Math.abs(key.length - synonym.length) > max || /\d/.test(key)) return false;
  return distance(key, synonym) <= max;
}

function holds(words: readonly string[], part: readonly string[]): boolean {
  return words.some((_, at) => part.every((word, offset) => words[at + offset] === word));
}
