// Measure of rules: what share of a column they read, by the code that will read the rows.

import type { Field } from '../mapping/fields.ts';
import type { NumberColumn } from '../mapping/numbers.ts';
import { compileRules, type Rule, surveyRule } from '../mapping/rule.ts';
import type { Value } from '../mapping/values.ts';
import type { ColumnSummary } from './column-summary.ts';

export interface Measured {
  readonly rules: readonly Rule[];
  /** Of the values that are not empty: the share that the rules read. */
  readonly share: number;
  /** Of those that are read: the share that homes usually have. */
  readonly plausible: number;
  /** A few texts that they do not read. */
  readonly unread: readonly string[];
}

const MAX_UNREAD = 20;

/** Reads the representatives of a column by rules for it. */
export function measure(
  rules: readonly Rule[],
  field: Field,
  summary: ColumnSummary,
  nulls: readonly string[],
): Measured {
  const numbers = new Map<Rule, NumberColumn>();
  for (const rule of rules) {
    const survey = surveyRule(rule, field, nulls);
    if (survey === null) continue;
    for (const { text } of summary.representatives) survey.add({ [summary.name]: text });
    numbers.set(rule, survey.column);
  }
  const fill = compileRules(rules, field, { nulls, timeZone: 'UTC', numbers });
  const counts = { read: 0, failed: 0, plausible: 0 };
  const unread: string[] = [];
  for (const { text, rows } of summary.representatives) {
    const { value, fault, passed } = fill({ [summary.name]: text });
    if (value !== null) {
      counts.read += rows;
      if (isPlausible(value, field)) counts.plausible += rows;
    } else if (fault !== null || passed) {
      counts.failed += rows;
      if (unread.length < MAX_UNREAD) unread.push(text);
    }
  }
  const { read, failed, plausible } = counts;
  return {
    rules,
    share: read + failed === 0 ? 0 : read / (read + failed),
    plausible: read === 0 ? 0 : plausible / read,
    unread,
  };
}

/** The first of the best: simple rules come before those that take more for granted. */
export function best(candidates: Iterable<Measured>): Measured | null {
  let found: Measured | null = null;
  for (const each of candidates) {
    if (each.share > (found?.share ?? 0) + 0.001) found = each;
    if (found !== null && found.share === 1) break;
  }
  return found;
}

function isPlausible(value: Value, { plausible }: Field): boolean {
  if (plausible === undefined || typeof value !== 'number') return true;
  return value >= plausible[0] && value <= plausible[1];
}
