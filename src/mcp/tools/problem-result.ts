// Problems as results of tools: a sentence with the next step, and the problem document as structured content.

import { problemReply } from '../../http/output/problem-document.ts';
import type { Problem, ProblemCode } from '../../lib/problem.ts';
import { project } from './projection.ts';
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
  SHUTTING_DOWN: () => 'Try again in a few seconds.',
  SUBSCRIPTIONS_UNAVAILABLE: () => 'Try again in a few seconds.',
};

/** The result that reports a problem. */
export function problemResult(problem: Problem, { publicUrl, requestId }: ProblemOptions): ToolResult {
  const retryAfterSeconds = retryAfterOf(problem);
  const { json } = problemReply(problem, { publicUrl, requestId });
  const sentences = [
    problem.message,
    retryAfterSeconds === null || /in \d+ s\b/.test(problem.message) ? '' : `Wait ${retryAfterSeconds} s.`,
    NEXT_STEPS[problem.code]?.(publicUrl) ?? '',
  ];
  return {
    content: [{ type: 'text', text: visibleText(sentences.filter((sentence) => sentence !== '').join(' ')) }],
    structuredContent: {
      ...project(Object(json), null).value,
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    },
    isError: true,
  };
}

function retryAfterOf({ headers }: Problem): number | null {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isSafeInteger(seconds) ? seconds : null;
}
