// Arguments and examples that several commands share.

import { InvalidArgumentError } from 'commander';
import { isPlan, PLANS, type Plan } from '../access/tiers/tiers.ts';

export const JSON_OPTION = ['--json', 'print JSON'] as const;

export function planArgument(text: string): Plan {
  if (isPlan(text)) return text;
  throw new InvalidArgumentError(`The plans are ${PLANS.join(', ')}.`);
}

/** An operator's id of a customer. */
export function customerArgument(text: string): string {
  if (/^[^\p{C}\p{Z}](?:[^\p{C}]{0,198}[^\p{C}\p{Z}])?$/u.test(text)) return text;
  throw new InvalidArgumentError('Give 1 to 200 characters, without control characters or outer spaces.');
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A date (its first instant in UTC) or an RFC 3339 time. */
export function momentArgument(text: string): Date {
  const at = new Date(text);
  // The engine takes 30 February for 2 March.
  const day = text.slice(0, 10);
  const rolled = new Date(`${day}T00:00:00Z`);
  if (MOMENT.test(text) && !Number.isNaN(at.getTime()) && rolled.toISOString().startsWith(day)) return at;
  throw new InvalidArgumentError('Give a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z.');
}

/** A block of example command lines for `addHelpText`. */
export function examples(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
