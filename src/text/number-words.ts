// English number words: ordinals of streets and house numbers as people say them. Pure.

const UNITS = 'first second third fourth fifth sixth seventh eighth ninth'.split(' ');
const TEENS = [
  ...'tenth eleventh twelfth thirteenth fourteenth'.split(' '),
  ...'fifteenth sixteenth seventeenth eighteenth nineteenth'.split(' '),
];
export const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

const figures = (value: number): string => {
  const ending = value > 10 && value < 20 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
};

/** Ordinals of one word in figures. */
export const ORDINALS: Readonly<Record<string, string>> = Object.fromEntries([
  ...[...UNITS, ...TEENS].map((word, at) => [word, figures(at + 1)]),
  ...TENS.map((word, at) => [word.replace(/y$/, 'ieth'), figures(10 * (at + 2))]),
]);

/** Joins ordinals of two words: "twenty" and "1st" become "21st". */
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

/** The two words of an ordinal such as 21st; null for any other. */
export function twoWordOrdinal(word: string): readonly [string, string] | null {
  const [, ten = '', one = ''] = /^([2-9])([1-9])(?:st|nd|rd|th)$/.exec(word) ?? [];
  const [tens, unit] = [TENS[Number(ten) - 2], UNITS[Number(one) - 1]];
  return tens === undefined || unit === undefined ? null : [tens, unit];
}

export const isOrdinal = (word: string): boolean => /^\d+(?:st|nd|rd|th)$/.test(word);

const ONES = [
  ...'zero one two three four five six seven eight nine ten eleven twelve'.split(' '),
  ...'thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' '),
];
const MAX_NUMBER = 9_999;

type Words = readonly string[];

/** All ways to say a whole number from 1 to 9,999, each as words; none for other numbers. */
export function cardinalForms(value: number): Words[] {
  if (!Number.isInteger(value) || value < 1 || value > MAX_NUMBER) return [];
  const digits = [...`${value}`].map(Number);
  const thousands = Math.floor(value / 1_000);
  const counted =
    thousands === 0
      ? belowThousand(value)
      : joinWith([oneWord(thousands), 'thousand'], belowThousand(value % 1_000));
  const forms = [...counted, ...(value < 100 ? [] : [...inPairs(value), digits.map(oneWord)])];
  return [...new Map(forms.map((words) => [words.join(' '), words])).values()];
}

const oneWord = (value: number): string => ONES[value] ?? '';

function belowHundred(value: number): Words {
  if (value < ONES.length) return [oneWord(value)];
  const tens = TENS[Math.floor(value / 10) - 2] ?? '';
  return value % 10 === 0 ? [tens] : [tens, oneWord(value % 10)];
}

function belowThousand(value: number): Words[] {
  if (value === 0) return [[]];
  if (value < 100) return [belowHundred(value)];
  const rest = value % 100;
  return joinWith([oneWord(Math.floor(value / 100)), 'hundred'], [rest === 0 ? [] : belowHundred(rest)]);
}

/** `first` followed by each of the rests, with and without "and". */
const joinWith = (first: Words, rests: readonly Words[]): Words[] =>
  rests.flatMap((rest) =>
    rest.length === 0
      ? [first]
      : [
          [...first, ...rest],
          [...first, 'and', ...rest],
        ],
  );

/** As house numbers are said: 4217 as forty-two seventeen, 905 as nine oh five, 1200 as twelve hundred. */
function inPairs(value: number): Words[] {
  const [first, rest] = [belowHundred(Math.floor(value / 100)), value % 100];
  if (rest === 0) return [[...first, 'hundred']];
  if (rest >= 10) return [[...first, ...belowHundred(rest)]];
  return ['oh', 'o', 'zero'].map((zero) => [...first, zero, oneWord(rest)]);
}
