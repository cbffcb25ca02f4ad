// Errors of the market page, as pages that people read.

import { Type } from 'typebox';
import type { ErrorForm } from '../../http/frame/route.ts';
import { renderErrorPage } from '../../page/form-page.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This link has a part that cannot be read',
  401: 'Sign in to see the market',
  403: 'The market is for subscribers',
  429: 'Too many pages at once',
  503: 'The figures are not there at the moment',
};

/** Errors as a page that names the parameter, or says when to try again. `headers`: those of every page of the market. */
export function marketErrors(headersOf: () => Readonly<Record<Lowercase<string>, string>>): ErrorForm {
  return {
    write: ({ problem, requestId, url, headers }) => ({
      status: problem.status,
      headers: { ...headers, ...headersOf() },
      text: renderErrorPage({
        path: url,
        title: TITLES[problem.status] ?? problem.title,
        detail: problem.message,
        closing: closingOf(problem.status),
        requestId,
      }),
    }),
    answers: { 400: 'A parameter is not valid; the page names it.', 503: 'Try again in a few seconds.' },
    content: { 'text/html': Type.String() },
  };
}

function closingOf(status: number): string {
  if (status === 400) return 'Leave that part out of the address, or begin at Market above.';
  if (status === 401 || status === 403) return 'Sign in above with a key, or see what the plans offer.';
  return status === 429 || status === 503
    ? 'Wait a few seconds, then load the page again.'
    : 'Begin at Market above.';
}
