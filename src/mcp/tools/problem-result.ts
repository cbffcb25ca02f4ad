// Problems as results of tools: text alone, since clients hold structured content, of errors too, against the output schema.

import { type FieldError, faultSentence, type Problem, type ProblemCode } from '../../lib/problem.ts';
import { dotted } from './listing-text.ts';
import type { ToolResult } from './tool.ts';
import { visibleText } from './untrusted.ts';

interface ProblemOptions {
  readonly publicUrl: string;
  readonly requestId: string;
}

/** What the caller of a tool does about a problem, where its detail does not say so. */
const NEXT_STEPS: Partial<Readonly<Record<ProblemCode, (publicUrl: string) => string>>> = {
  TIER_RESTRICTED: (url) =>
    `Tell the user which tier this needs; ${url}/docs/limits lists the tiers. Other tools still work.`,
  INVALID_CURSOR: () => 'Call the tool again with the same arguments and without cursor.',
  CURSOR_EXPIRED: () => 'Call the tool again without cursor.',
  LISTING_NOT_FOUND: () => 'Get ids from search_rentals or search_sales.',
  PROPERTY_NOT_FOUND: () =>
    'Get ids from search_rentals or search_sales: the member propertyId of a listing.',
  AREA_NOT_FOUND: () => 'Get ids from find_areas.',
  WATCHER_NOT_FOUND: () => 'Get ids from list_watchers.',
  QUOTA_EXCEEDED: () => 'Calls of this month are used up: tell the user instead of trying again.',
  DATABASE_UNAVAILABLE: () => 'Try again in a few seconds.',
  OVERLOADED: () => 'Try again in a few seconds.',
  SEARCH_LOADING: () => 'Try again in a few seconds; other tools work.',
  MAINTENANCE: () => 'Try again after the seconds that retryAfterSeconds names, or inform the user.',
  SHUTTING_DOWN: () => 'Try again in a few seconds.',
  SUBSCRIPTIONS_UNAVAILABLE: () => 'Try again in a few seconds.',
};

/** The result that reports a problem: every fault with its remedy, the next step, and what a report of it needs. */
export function problemResult(problem: Problem, { publicUrl, requestId }: ProblemOptions): ToolResult {
  const { code } = problem;
  const retryAfter = retryAfterOf(problem);
  const nextStep = NEXT_STEPS[code]?.(publicUrl) ?? '';
  const facts = [
    `code: ${code}`,
    retryAfter === null ? null : `retryAfterSeconds: ${retryAfter}`,
    `requestId: ${requestId}`,
  ];
  const lines = [allFaults(problem), nextStep, dotted(facts)];
  const text = visibleText(lines.filter((line) => line !== '').join('\n'));
  return { outcome: code, isError: true, content: [{ type: 'text', text }] };
}

/** The detail of a problem; of several faults each one, where the detail has the first and the number of others. */
export function allFaults({ message, errors }: Problem): string {
  if (errors.length < 2) return message;
  return errors.map((error) => faultSentence(subjectOf(error), error)).join('\n');
}

function subjectOf({ parameter, pointer = '' }: FieldError): string {
  if (parameter !== undefined) return `The parameter ${parameter}`;
  return pointer === '' ? 'The body' : `The member ${pointer.slice(1)}`;
}

function retryAfterOf({ headers }: Problem): number | null {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isSafeInteger(seconds) ? seconds : null;
}
