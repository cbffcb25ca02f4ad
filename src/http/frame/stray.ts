// Requests to addresses that no route serves.

import type { IncomingHttpHeaders } from 'node:http';
import type { Problem } from '../../lib/problem.ts';
import { negotiate } from '../input/accept.ts';
import type { Reply, Route } from './route.ts';

/** What is told of an address that nothing answers. */
export const NOTHING_HERE = 'There is nothing at this URL; /openapi.json lists all endpoints.';

/** Renders the page of an address where nothing is; its status is set by whoever sends it. */
export type NotFoundPage = (missing: { readonly detail: string; readonly requestId: string }) => Reply;

interface Sought {
  readonly request: { readonly method?: string | undefined };
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
}

const FORMS = ['application/problem+json', 'application/json', 'text/html'];

/** The page, where a browser looks for an address at which nothing is; null: the problem document. */
export function missingPage(
  render: NotFoundPage | undefined,
  { request, headers, requestId }: Sought,
  problem: Problem,
): Reply | null {
  if (render === undefined || problem.code !== 'NOT_FOUND') return null;
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  if (negotiate(headers.accept, FORMS) !== 'text/html') return null;
  const page = render({ detail: problem.message, requestId });
  const own = { 'cache-control': 'no-store', vary: 'accept' };
  return { ...page, status: problem.status, headers: { ...page.headers, ...own } };
}

/** What stands in for a route where there is none. */
export function strayRoute<Caller>(path: string): Route<Caller> {
  return {
    method: 'GET',
    path,
    access: { credentials: 'none', counts: 'nothing' },
    ownQuery: true,
    operation: 'stray',
    tag: 'none',
    summary: 'A path without a route.',
    answer: { description: 'A problem.' },
    handle: () => ({ status: 404 }),
  };
}
