// Budgets as people read them.

import type { BudgetReport, WindowUse } from '../source.ts';

/** One line for each window, and for what holds requests back. */
export function budgetLines({ windows, blockedUntil, suspendedAt, stopped }: BudgetReport): string[] {
  return [
    ...(stopped === null ? [] : [`STOPPED: ${stopped}`]),
    ...(suspendedAt === null ? [] : [`refused as suspended since ${suspendedAt}`]),
    ...(blockedUntil === null ? [] : [`the source wants no request before ${blockedUntil}`]),
    ...windows.map(windowText),
  ];
}

/** `120 of 6,480 requests, 2.1 of 2,764.8 MB in an hour` */
function windowText({ share, seconds, requests, bytes }: WindowUse): string {
  const parts = [
    ...(requests === null ? [] : [`${number(requests.used)} of ${number(requests.limit)} requests`]),
    ...(bytes === null ? [] : [`${megabytes(bytes.used)} of ${megabytes(bytes.limit)} MB`]),
  ];
  return `${share === 'media' ? 'photos: ' : ''}${parts.join(', ')} in ${lengthText(seconds)}`;
}

const number = (value: number): string => value.toLocaleString('en-US');
const megabytes = (bytes: number): string => number(Math.round(bytes / 100_000) / 10);
const LENGTHS: ReadonlyMap<number, string> = new Map([
  [1, 'a second'],
  [60, 'a minute'],
  [3_600, 'an hour'],
  [86_400, 'a day'],
]);
const lengthText = (seconds: number): string => LENGTHS.get(seconds) ?? `${number(seconds)} seconds`;
