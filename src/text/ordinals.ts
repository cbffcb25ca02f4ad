// Ordinal numbers as streets are called by them, in words and in figures: the figures stand for both.

const UNITS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];
const TEENS = [
  ...['tenth', 'eleventh', 'twelfth', 'thirteenth', 'fourteenth', 'fifteenth', 'sixteenth'],
  ...['seventeenth', 'eighteenth', 'nineteenth'],
];
export const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

const figures = (value: number): string => {
  const ending = value > 10 && value < 20 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
};

/** Those of one word. */
export const ORDINALS: Readonly<Record<string, string>> = Object.fromEntries([
  ...[...UNITS, ...TEENS].map((word, at) => [word, figures(at + 1)]),
  ...TENS.map((word, at) => [word.replace(/y$/, 'ieth'), figures(10 * (at + 2))]),
]);

/** Words in which those of two, "twenty" and "1st", have become one. */
export function joinOrdinals(words: readonly string[]): string[] {
  if (!words.some((word) => TENS.includes(word))) return [...words];
  return words.flatMap((word, at) => {
    const before = joined(words[at - 1], word);
    return before === null ? (joined(word, words[at + 1]) ?? word) : [];
  });
}

function joined(tens: string | undefined, unit: string | undefined): string | null {
  const [ten, one] = [TENS.indexOf(tens ?? ''), UNITS.findIndex((_, at) => figures(at + 1) === unit)];
  return ten < 0 || one < 0 ? null : figures(10 * (ten + 2) + one + 1);
}

/** An ordinal in figures as it is written in two words; null for any other. */
export function twoWordOrdinal(word: string): readonly [string, string] | null {
  const [, ten = '', one = ''] = /^([2-9])([1-9])(?:st|nd|rd|th)$/.exec(word) ?? [];
  const [tens, unit] = [TENS[Number(ten) - 2], UNITS[Number(one) - 1]];
  return tens === undefined || unit === undefined ? null : [tens, unit];
}

export const isOrdinal = (word: string): boolean => /^\d+(?:st|nd|rd|th)$/.test(word);
