// Text folded as searches compare it, with the position of each letter in the original.

export interface FoldedText {
  /** Letters and digits; between them single blanks, `#`, and `|` for what parts more than words do, as the end of a sentence. */
  readonly letters: string;
  /** The range of each letter in the original text. */
  readonly places: readonly (readonly [from: number, to: number])[];
}

/** Full stops and apostrophes, which searches leave out of words, and the signs that are typed in place of these. */
const SILENT = /['’‘ʼʻ′`´＇.]/u;
const BETWEEN_WORDS = /[\s,.:/_-]/;
const WORD = /[\p{L}\p{N}]/u;

/** Blanks and punctuation as addresses of pages write them, also when they were encoded again. */
const ENCODED = '%(?:25){0,4}(?:0[9ad]|2[0-9a-f]|3a)';
/** HTML that sources leave in texts: tags, and characters by name or number, also when `&` itself was written so. */
const MARKUP = '</?[a-z][^<>]{0,200}>|&(?:amp;){0,3}#?[0-9a-z]{1,10};';
const TOKEN = new RegExp(`${ENCODED}|${MARKUP}|[^]`, 'giu');
const CODED = new RegExp(`${ENCODED}|${MARKUP}`, 'giu');

/** Names of characters that stand within words; those of letters with an accent end in the accent. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['apos', "'"],
  ['rsquo', "'"],
  ['lsquo', "'"],
  ['prime', "'"],
  ['shy', '\u00ad'],
]);
const ACCENTED = /^([a-z])(?:acute|grave|circ|tilde|uml|cedil|ring|slash|caron)$/;

/**
 * Lower case without accents, as `splitWords` compares it. Full stops and apostrophes are left out, or stand as blanks, since a
 * word may end at one: "St.Elan" is either one word or two.
 */
export function foldText(text: string, silent: 'dropped' | 'blank'): FoldedText {
  let letters = '';
  const places: [number, number][] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const letter = plainCharacter(token);
    const folded = SILENT.test(letter) ? (silent === 'blank' ? ' ' : '') : foldLetter(letter);
    // A gap of any width counts once.
    if ((folded === ' ' || folded === '|') && letters.endsWith(folded)) continue;
    letters += folded;
    for (let unit = 0; unit < folded.length; unit++) places.push([index, index + token.length]);
  }
  return { letters, places };
}

/** The letters alone, without full stops and apostrophes: faster, if positions do not matter. */
export const foldWhole = (text: string): string =>
  text
    .replace(CODED, plainCharacter)
    .replace(/['’‘ʼʻ′`´＇.\p{Cf}]/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase();

/** The character that a token of markup or encoding means; a blank for a tag and for most signs. */
function plainCharacter(token: string): string {
  if (token.length < 3) return token;
  const name = token.startsWith('&') ? (/([^;&]+);$/.exec(token)?.[1] ?? '').toLowerCase() : '';
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
  const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
  if (code > 0 && code <= 0x10_ff_ff) return String.fromCodePoint(code);
  return NAMED.get(name) ?? ACCENTED.exec(name)?.[1] ?? ' ';
}

function foldLetter(letter: string): string {
  if (letter >= 'a' && letter <= 'z') return letter;
  if (letter === '#' || letter === ' ') return letter;
  const folded = letter
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();
  if (folded === '' || WORD.test(folded)) return folded;
  return BETWEEN_WORDS.test(folded) ? ' ' : '|';
}
