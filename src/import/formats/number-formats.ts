// Number formats of workbooks: which cells hold dates, and how days are counted.

/** What a number of a format is. `zeros`: digits of a code, written with leading zeros. */
export type NumberForm = 'number' | 'date' | 'duration' | { readonly zeros: number };

/** Formats that every workbook has without naming them: dates, times, and dates as East Asian versions write them. */
const DATES: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [50, 58],
];
const DURATIONS: readonly (readonly [first: number, last: number])[] = [[45, 47]];

const isIn = (id: number, ranges: typeof DATES): boolean =>
  ranges.some(([first, last]) => id >= first && id <= last);

/** The form of numbers of a format. @param code of a format that the workbook defines itself */
export function numberForm(id: number, code: string | undefined): NumberForm {
  if (code === undefined) return isIn(id, DATES) ? 'date' : isIn(id, DURATIONS) ? 'duration' : 'number';
  // The first section is that of positive numbers. Texts in quotes, escaped characters, colours and locales say nothing.
  const [section = ''] = code.replace(/"[^"]*"|\\.|_.|\*./g, '').split(';', 1);
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'duration';
  const letters = section.replace(/\[[^\]]*\]/g, '');
  if (/^0{2,}(?:-0+)?$/.test(letters)) return { zeros: letters.replace('-', '').length };
  return /[ymdhse]/i.test(letters.replace(/general|e[+-]/gi, '')) ? 'date' : 'number';
}

const DAY = 86_400_000;
/** Days of the largest date that Excel has, 31 December 9999. */
const MAX_SERIAL = 2_958_465;

/**
 * The text of a number that a workbook shows as a date: `2026-05-31`, `2026-05-31T17:00:00`, or `17:00:00` where it has no day; null
 * where it is no date.
 * @param is1904 whether days are counted from 1904, as old versions for the Mac do
 */
export function dateText(serial: number, is1904: boolean): string | null {
  if (!(serial >= 0 && serial < MAX_SERIAL + 1)) return null;
  // Times are fractions of a day, which the nearest second is meant by.
  const seconds = Math.round(serial * 86_400);
  if (seconds < 86_400 && !Number.isInteger(serial)) return timeText(seconds);
  const days = Math.floor(seconds / 86_400);
  // Excel counts a 29 February 1900 that never was, since Lotus did.
  if (!is1904 && days === 60) return '1900-02-29';
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const date = new Date(epoch + days * DAY).toISOString().slice(0, 10);
  const rest = seconds % 86_400;
  return rest === 0 ? date : `${date}T${timeText(rest)}`;
}

/** Hours, minutes and seconds. */
export const timeText = (seconds: number): string =>
  [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
