// Placeholders: what sources write where they know no number, name or address. Pure.

const WORDS: ReadonlySet<string> = new Set([
  'na',
  'none',
  'null',
  'nil',
  'no',
  'not',
  'tbd',
  'tba',
  'tbc',
  'unknown',
  'unk',
  'unassigned',
  'unavailable',
  'undisclosed',
  'undetermined',
  'unspecified',
  'withheld',
  'confidential',
  'hidden',
  'pending',
  'various',
  'multiple',
  'multi',
  'several',
  'exempt',
  'test',
  'sample',
  'same',
]);

/** Words that are placeholders in whatever text they stand, such as "TBD Highway 20". */
const DECISIVE: ReadonlySet<string> = new Set([
  'tbd',
  'tba',
  'tbc',
  'unknown',
  'unassigned',
  'undisclosed',
  'undetermined',
  'unspecified',
  'unavailable',
  'withheld',
  'confidential',
]);

/** "Not available", "to be determined", "see remarks" and the like. */
const PHRASES =
  /\b(?:n ?a|not (?:available|assigned|applicable|yet|provided|known|disclosed|listed|found)|to be (?:determined|announced|assigned|advised|built)|see (?:remarks|docs|documents|agent|tax|attached|private)|call (?:agent|office|listing)|(?:on|upon) request|no address)\b/;

/** The words of a text in lower case, without punctuation. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Whether a number that identifies something, such as that of a parcel, is none: 0, N/A, TBD, 999999, 123456. */
export function isPlaceholder(text: string): boolean {
  const words = wordsOf(text);
  if (isPlaceholderText(text) || words.every((word) => WORDS.has(word))) return true;
  const all = words.join('');
  if (/^0+$/.test(all) || /^9{3,}$/.test(all) || /^(.)\1{3,}$/.test(all) || /^x+$/.test(all)) return true;
  return all.length >= 4 && '1234567890123456789'.startsWith(all);
}

/** Whether a text says that an address is not known. */
export function isPlaceholderText(text: string): boolean {
  const words = wordsOf(text);
  return words.length === 0 || words.some((word) => DECISIVE.has(word)) || PHRASES.test(words.join(' '));
}
