// Not-found response for URLs without a route: the nearest path as a suggestion, and a page for browsers.

import type { IncomingMessage } from 'node:http';
import { redact } from '../../lib/log.ts';
import { nearest } from '../../lib/nearest.ts';
import { Problem } from '../../lib/problem.ts';
import type { Reply } from '../output/reply.ts';
import { negotiate } from './request-head.ts';

/** Detail of the 404. */
export const NOTHING_HERE = 'There is nothing at this URL; /openapi.json lists all endpoints.';

/** Renders the 404 page; the caller sets the status. */
export type NotFoundPage = (missing: { readonly detail: string; readonly requestId: string }) => Reply;

const FORMS = ['application/problem+json', 'application/json', 'text/html'];
/** More segments than any route has. */
const MAX_PARTS = 12;

/**
 * Creates a function from a path to its 404, with the nearest existing path as a suggestion.
 * @param paths as routes write them: /v1/areas/:id
 */
export function createNotFound(paths: readonly string[]): (path: string) => Problem {
  const patterns = [...new Set(paths)].map((path) => path.split('/'));
  return (path) => {
    const parts = redact(path).split('/', MAX_PARTS);
    const similar = patterns.filter(({ length }) => Math.abs(length - parts.length) <= 1);
    const suggestion = nearest(
      path,
      similar.map((pattern) => fillIn(pattern, parts)),
    );
    const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    return new Problem('NOT_FOUND', `${NOTHING_HERE}${meant}`);
  };
}

/** The pattern with its variables filled from the segments sent. */
const fillIn = (pattern: readonly string[], sent: readonly string[]): string =>
  pattern.map((part, at) => (part.startsWith(':') ? sent[at] || `{${part.slice(1)}}` : part)).join('/');

/** The 404 page for a browser; null: send the problem document. */
export function renderNotFound(
  render: NotFoundPage | undefined,
  { request, requestId }: { readonly request: IncomingMessage; readonly requestId: string },
  problem: Problem,
): Reply | null {
  if (render === undefined || problem.code !== 'NOT_FOUND') return null;
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  if (negotiate(request.headers.accept, FORMS) !== 'text/html') return null;
  const page = render({ detail: problem.message, requestId });
  const own = { 'cache-control': 'no-store', vary: 'accept' };
  return { ...page, status: problem.status, headers: { ...page.headers, ...own } };
}
