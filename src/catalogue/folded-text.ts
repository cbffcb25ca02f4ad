// Text as searches compare it, letter by letter, with the place of each letter in the text it came from.

export interface FoldedText {
  /** Letters and digits; between them blanks, `#`, and `|` for what parts more than words do, as the end of a sentence. */
  readonly letters: string;
  /** Where in the text each of them came from: its begin, and what follows it. */
  readonly places: readonly (readonly [from: number, to: number])[];
}

/** Full stops and apostrophes, which searches leave out of words. */
const SILENT = new Set(['.', "'", '’']);
const BETWEEN_WORDS = /[\s,.:/_-]/;
/** Blanks and punctuation as addresses of pages write them. */
const ENCODED = /%(?:0[9ad]|2[0-9a-f]|3a)/gi;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Lower case without accents, as `wordsOf` compares it. Full stops and apostrophes are left out, or stand as blanks, since a
 * word may end at one: "St.Elan" is either one word or two.
 */
export function foldText(text: string, silent: 'dropped' | 'blank'): FoldedText {
  let letters = '';
  const places: [number, number][] = [];
  let at = 0;
  for (const letter of text.replace(ENCODED, '   ')) {
    const folded = SILENT.has(letter) ? (silent === 'blank' ? ' ' : '') : foldLetter(letter);
    letters += folded;
    for (let unit = 0; unit < folded.length; unit++) places.push([at, at + letter.length]);
    at += letter.length;
  }
  return { letters, places };
}

/** The letters alone, without full stops and apostrophes: quicker, where their places do not matter. */
export const foldWhole = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}'’.]/gu, '')
    .toLowerCase();

function foldLetter(letter: string): string {
  if (letter >= 'a' && letter <= 'z') return letter;
  if (letter === '#' || letter === ' ') return letter;
  const folded = letter.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (folded === '' || WORD.test(folded)) return folded;
  return BETWEEN_WORDS.test(folded) ? ' ' : '|';
}
