// Same-origin check of forms: only our own page, or a program without a page, may send a decision.

import type { IncomingHttpHeaders } from 'node:http';
import { ErrorPage } from './authorization-errors.ts';

/**
 * Throws AuthorizeRefusal where a browser says that another site made it send this. Programs say nothing, and may:
 * no cookie is read here, so that nobody's browser can be made to lend its rights.
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (!foreignSite && (origin === undefined || origin === new URL(publicUrl).origin)) return;
  const detail =
    'Another site sent this form. Start again from the app, and decide on the page of this service.';
  throw new ErrorPage('invalid_request', 'Not decided here', detail, { status: 403 });
}
