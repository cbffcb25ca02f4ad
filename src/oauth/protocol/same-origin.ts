// Owns the rule that only our own page, or no page at all, sends a decision: what browsers say of a request's origin.

import type { IncomingHttpHeaders } from 'node:http';
import { AuthorizeRefusal } from './authorization-errors.ts';

/**
 * Throws AuthorizeRefusal where a browser says that another site made it send this. Programs say nothing, and may:
 * no cookie is read here, so that nobody's browser can be made to lend its rights.
 */
export function refuseForeignPage(headers: IncomingHttpHeaders, publicUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (!foreignSite && (origin === undefined || origin === new URL(publicUrl).origin)) return;
  const detail =
    'Another site sent this form. Start again from the app, and decide on the page of this service.';
  throw new AuthorizeRefusal('invalid_request', 'Not decided here', detail, { status: 403 });
}
