// Dates of a column: their pattern, decided over all rows, and named where day and month could be either.

import DATE_PATTERNS from '../mapping/date-patterns.json' with { type: 'json' };
import type { Field } from '../mapping/fields.ts';
import type { Rule } from '../mapping/rule.ts';
import type { ColumnSummary } from './column-summary.ts';
import { isMonthFirst } from './countries.ts';
import { measure } from './measure.ts';
import { type FileHints, type Reading, textsOf, without } from './reading.ts';

export function dateReading(
  field: Field,
  summary: ColumnSummary,
  { country, nulls }: FileHints,
): Reading | null {
  const { name: column } = summary;
  const texts = textsOf(summary);
  if (texts.every((text) => nulls.includes(text) || /^1\d{9}$/.test(text)))
    return without(measure([{ column, format: 'unix' }], field, summary, nulls));
  if (texts.every((text) => nulls.includes(text) || /^1\d{12}$/.test(text)))
    return without(measure([{ column, format: 'unixMilliseconds' }], field, summary, nulls));
  const shares = [undefined, ...DATE_PATTERNS].map((format) => ({
    format,
    share: measure([{ column, ...(format !== undefined && { format }) }], field, summary, nulls).share,
  }));
  const usual = isMonthFirst(country);
  const order = (format: string | undefined): number => (/^M\D?/.test(format ?? '') === usual ? 0 : 1);
  const sorted = shares
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share || order(a.format) - order(b.format));
  const [first] = sorted;
  if (first === undefined) return null;
  const twin = sorted.find(
    ({ format, share }) => share === first.share && isOtherOrder(format, first.format),
  );
  const rules = withSecondPattern(first.format, sorted, { column, field, summary, nulls });
  const shown = (format = ''): string => (/^M/.test(format) ? 'month first' : 'day first');
  const doubt =
    twin === undefined
      ? null
      : `Every date can be read ${shown(first.format)} or ${shown(twin.format)}: ${shown(first.format)} is assumed`;
  return { ...measure(rules, field, summary, nulls), doubt };
}

interface DateColumn {
  readonly column: string;
  readonly field: Field;
  readonly summary: ColumnSummary;
  readonly nulls: readonly string[];
}

/** Up to three patterns in one column, where each reads what those before it do not. */
function withSecondPattern(
  first: string | undefined,
  patterns: readonly { readonly format: string | undefined }[],
  { column, field, summary, nulls }: DateColumn,
): Rule[] {
  const ruleOf = (format: string | undefined): Rule => ({ column, ...(format !== undefined && { format }) });
  let rules: Rule[] = [ruleOf(first)];
  let { share } = measure(rules, field, summary, nulls);
  for (const { format } of patterns) {
    if (share === 1 || rules.length === 3) break;
    if (isOtherOrder(format, first)) continue;
    const more = [...rules.map((rule) => ({ ...rule, lenient: true })), ruleOf(format)];
    const measured = measure(more, field, summary, nulls);
    if (measured.share > share + 0.001) [rules, share] = [more, measured.share];
  }
  return rules;
}

/** Whether two patterns differ in the order of day and month alone. */
function isOtherOrder(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other || /MMM/.test(one)) return false;
  const swapped = one.replace(/M+|D+/g, (part) => (part.startsWith('M') ? 'D' : 'M'));
  return swapped === other.replace(/M+|D+/g, (part) => part.charAt(0));
}
