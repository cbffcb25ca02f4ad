// House numbers in English words: "twelve", "nine hundred and one", "forty-two seventeen". Pure.

import { TENS } from './ordinals.ts';

const ONES = [
  ...[
    'zero',
    'one',
    'two',
    'three',
    'four',
    'five',
    'six',
    'seven',
    'eight',
    'nine',
    'ten',
    'eleven',
    'twelve',
  ],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const LARGEST = 9_999;

type Words = readonly string[];

/** Every way in which a whole number from 1 to 9,999 is said, each as its words; none for any other. */
export function cardinalForms(value: number): Words[] {
  if (!Number.isInteger(value) || value < 1 || value > LARGEST) return [];
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

/** Each rest behind what stands first, with "and" between them or without. */
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
