// Forms of the pages: signed parameters, so that no process stores who is deciding, and the check of their origin.

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalSecrets } from '../../lib/secrets.ts';
import { ErrorPage } from './errors.ts';
import { CONSENT_PAGE_LIFETIME } from './tokens.ts';

/** The parameters of a request by name, each with its values in the order sent. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

export interface SignedParameters {
  readonly parameters: Parameters;
  /** Whether its time is over. */
  readonly expired: boolean;
}

/** A text that only holders of the key can make, and that anybody can read. `now`: wall-clock milliseconds. */
export function signParameters(key: Buffer, parameters: Parameters, now: number): string {
  const payload = Buffer.from(JSON.stringify([now + CONSENT_PAGE_LIFETIME, [...parameters]])).toString(
    'base64url',
  );
  return `${payload}.${sign(key, payload)}`;
}

/** What was sealed; null for a text that was not, or not with this key. */
export function verifyParameters(key: Buffer, text: string, now: number): SignedParameters | null {
  const [, payload, signature] = /^([\w-]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (payload === undefined || signature === undefined) return null;
  if (!equalSecrets(signature, sign(key, payload))) return null;
  const [end, parameters] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    number,
    [string, string[]][],
  ];
  // A clock that was set back would otherwise prolong it.
  return { parameters: new Map(parameters), expired: now >= end || end - now > CONSENT_PAGE_LIFETIME };
}

function sign(key: Buffer, payload: string): string {
  return createHmac('sha256', key).update(payload).digest('base64url');
}

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
