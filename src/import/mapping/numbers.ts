// Numbers as files write them: each format by itself, and texts that could be two numbers.

import { Unreadable } from './fields.ts';

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** A sign, an amount, and a currency on either side: `US$1,200`, `1.200,-`, `CHF 1'200.50`. */
const AMOUNT =
  /^(?<sign>-?)(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})?\s*(?<digits>\d[\d.,'’\s]*?)(?:[.,][-–—]{1,2})?\s*(?:\p{Sc}|[A-Z]{3})?$/u;

type Mark = 'point' | 'comma';

interface NumberFormat {
  readonly decimal: Mark;
  readonly whole: RegExp;
}

/** Groups are of three digits. */
const grouped = (separator: string, decimal: string): RegExp =>
  new RegExp(`^(?:[1-9]\\d{0,2}(?:${separator}\\d{3})+|\\d+)(?:${decimal}\\d+)?$`);

/** How numbers are written, named by how one thousand two hundred thirty-four and a half is. */
const FORMATS: Readonly<Record<string, NumberFormat>> = {
  '1,234.5': { decimal: 'point', whole: grouped(',', '\\.') },
  '1.234,5': { decimal: 'comma', whole: grouped('\\.', ',') },
  '1 234,5': { decimal: 'comma', whole: grouped('\\s', ',') },
  "1'234.5": { decimal: 'point', whole: grouped("['’]", '\\.') },
  '1234.5': { decimal: 'point', whole: /^\d+(?:\.\d+)?$/ },
  '1234,5': { decimal: 'comma', whole: /^\d+(?:,\d+)?$/ },
};

export const NUMBER_FORMATS = Object.keys(FORMATS);

/** Formats without thousands separators: the only separator starts the decimals. */
const WITHOUT_THOUSANDS: readonly (string | undefined)[] = ['1234.5', '1234,5'];

const ANY_GROUPS: Readonly<Record<Mark, RegExp>> = {
  point: grouped("[,'’\\s]", '\\.'),
  comma: grouped("[.'’\\s]", ','),
};

/** A number from its text. Without a format only digits, a point and an exponent are understood: `1.2e+006`. Throws Unreadable. */
export function readNumber(text: string, format: string | undefined): number {
  const rules = format === undefined ? undefined : FORMATS[format];
  const isPlain = PLAIN.test(text) && (rules?.decimal !== 'comma' || /e/i.test(text));
  const value = isPlain ? Number(text) : rules === undefined ? Number.NaN : formatted(text, rules);
  if (Number.isFinite(value)) return value;
  throw new Unreadable(
    format === undefined
      ? 'is not a number such as 1234.5 (for thousands separators and currency signs give a "format" such as "1,234.5")'
      : `is not a number written like ${format}`,
  );
}

function formatted(text: string, { whole, decimal }: NumberFormat): number {
  const { sign = '', digits = '' } = AMOUNT.exec(text)?.groups ?? {};
  return whole.test(digits) ? Number(sign + normalized(digits, decimal)) : Number.NaN;
}

function normalized(digits: string, decimal: Mark): string {
  if (decimal === 'point') return digits.replace(/[,'’\s]/g, '');
  return digits.replace(/[.'’\s]/g, '').replace(',', '.');
}

/** Digits alone are the same number with either decimal mark, and most numbers of a file are. */
const DIGITS = /^\d+$/;

/** What a text is with a decimal point and with a decimal comma; null where it cannot be that. */
function readings(text: string): Readonly<Record<Mark, number | null>> {
  const { sign = '', digits = '' } = AMOUNT.exec(text)?.groups ?? {};
  const read = (decimal: Mark): number | null =>
    ANY_GROUPS[decimal].test(digits) ? Number(sign + normalized(digits, decimal)) : null;
  return { point: read('point'), comma: read('comma') };
}

/** Whether a text is one number with a decimal point and another with a decimal comma, as 3.000 is. */
export function hasTwoReadings(text: string): boolean {
  const { point, comma } = readings(text);
  return point !== null && comma !== null && point !== comma;
}

/** What the values of a column say of how its numbers are written. */
export class NumberColumn {
  /** Values that have one reading, and those that have two. */
  readonly #counts = { point: 0, comma: 0, both: 0 };
  readonly #examples: Record<Mark, string | null> = { point: null, comma: null };

  add(text: string): void {
    if (DIGITS.test(text)) return;
    const { point, comma } = readings(text);
    if (point === comma) return;
    if (point !== null && comma !== null) {
      this.#counts.both++;
      return;
    }
    const mark = point === null ? 'comma' : 'point';
    this.#counts[mark]++;
    this.#examples[mark] ??= text;
  }

  count(kind: Mark | 'both'): number {
    return this.#counts[kind];
  }

  example(mark: Mark): string | null {
    return this.#examples[mark];
  }
}

/** Values of a kind for each that is written otherwise, from which on the latter is taken for a slip. */
const SLIP = 20;

/** What a field says of a number: whether it can hold it, and whether homes have such a one; null where that is not known. */
export interface NumberJudge {
  isPossible(value: number): boolean;
  isPlausible(value: number): boolean | null;
}

/**
 * Throws Unreadable for a text that the format reads as one number and that could be another, such as 3.000, unless the field
 * can hold but one of them, or the column shows which is meant.
 */
export function requireOneReading(
  text: string,
  format: string | undefined,
  column: NumberColumn,
  judge: NumberJudge,
): void {
  if (DIGITS.test(text)) return;
  const { point, comma } = readings(text);
  if (point === null || comma === null || point === comma) return;
  const own = format === undefined ? 'point' : (FORMATS[format]?.decimal ?? 'point');
  const contrary = own === 'point' ? 'comma' : 'point';
  const [value, other] = own === 'point' ? [point, comma] : [comma, point];
  if (!judge.isPossible(other)) return;
  const [isPlausible, isOtherPlausible] = [judge.isPlausible(value), judge.isPlausible(other)];
  if (isPlausible === true && isOtherPlausible === false) return;
  const isGrouped = Math.abs(value) > Math.abs(other);
  const isStated = isGrouped || WITHOUT_THOUSANDS.includes(format);
  const agreeing = column.count(own) + (isStated ? column.count('both') : 0);
  const isContradicted = column.count(contrary) * SLIP > agreeing;
  const isImplausible = isPlausible === false && isOtherPlausible === true;
  if (!isImplausible && !isContradicted && (isStated || column.count(own) > 0)) return;
  const example = column.example(contrary);
  const shown = example === null || !isContradicted ? '' : `, and its column has ${JSON.stringify(example)}`;
  const [decimals, groups] = text.includes('.') ? ['1234.5', '1.234,5'] : ['1234,5', '1,234.5'];
  const [small, large] = isGrouped ? [other, value] : [value, other];
  throw new Unreadable(
    `could be ${small} or ${large}${shown} (say "format": "${decimals}" for the first, "${groups}" for the second)`,
  );
}
