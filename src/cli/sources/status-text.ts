// Texts of what `freehold sources status` shows of a source.

import type { PictureCounts } from '../../media/copies/copy-store.ts';
import { budgetLines } from '../../sources/budget/budget-text.ts';
import type { LookupReading } from '../../sources/lookups/lookup-store.ts';
import type { Comparison } from '../../sources/reconcile/reconcile-store.ts';
import type { BudgetReport } from '../../sources/source.ts';
import type { UnknownCount } from '../../sources/value-counts.ts';
import { count } from '../output.ts';

/** Rows of a label and a text, one for each window of the budget. */
export const budgetRows = (budget: BudgetReport | null): (readonly [string, string])[] =>
  (budget === null ? [] : budgetLines(budget)).map((line, at) => [at === 0 ? 'budget' : '', line]);

/** `compared 2027-01-31 12:00, 3 deleted, 2 read again` */
export function comparisonText({ state, startedAt, endedAt, refused, ...found }: Comparison): string {
  const at = minuteOf(endedAt ?? startedAt);
  if (refused !== null) return `refused ${at}: ${refused}`;
  if (state === 'failed')
    return `failed ${at}: ${found.failure}${found.detail === null ? '' : `: ${found.detail}`}`;
  if (endedAt === null) return `being compared since ${at}, ${count(found.listed)} so far`;
  const left = found.left === 0 ? '' : `, ${count(found.left)} left to the next comparison`;
  return `compared ${at}, ${count(found.ended)} deleted, ${count(found.fetched)} read again${left}`;
}

/** `3,412 values, read 2027-01-31 12:00` */
export function lookupsText(
  { state, detail, readAt, triedAt }: Pick<LookupReading, 'state' | 'detail' | 'readAt' | 'triedAt'>,
  values: number,
): string {
  const kept = values === 0 ? '' : `; ${count(values)} values since ${minuteOf(readAt)}`;
  const why = detail === null ? '' : `: ${detail}`;
  if (state === 'read') return `${count(values)} values, read ${minuteOf(readAt)}${why}`;
  return `${state === 'absent' ? 'the server has none' : `${state} ${minuteOf(triedAt)}`}${why}${kept}`;
}

/** `1,204 are still to be copied, 3 failed` */
export const photosText = ({ waiting, failed }: PictureCounts): string =>
  `${count(waiting)} are still to be copied, ${count(failed)} failed`;

/** Values and fields shown. */
const MAX_UNKNOWN = 20;

/** `field X (3), StandardStatus Actv (2) and 5 more` */
export function unknownText(unknown: readonly UnknownCount[]): string {
  const texts = unknown
    .slice(0, MAX_UNKNOWN)
    .map(({ field, value, listings }) =>
      value === null ? `field ${field} (${count(listings)})` : `${field} ${value} (${count(listings)})`,
    );
  const more = unknown.length - texts.length;
  return `${texts.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}

/** `2027-01-31 12:00`; empty for null. */
export const minuteOf = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? '';

/** `3 min` */
export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
