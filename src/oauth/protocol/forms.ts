// Protection of the pages' forms: signed parameters instead of sessions, and the same-origin check.

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalSecrets } from '../../lib/secrets.ts';
import { ErrorPage } from './errors.ts';
import { LIFETIMES } from './tokens.ts';

/** The parameters of a request by name, each with its values in the order sent. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

export interface SignedParameters {
  readonly parameters: Parameters;
  readonly expired: boolean;
}

/** The parameters as a signed text that anybody can read. `now`: Unix milliseconds. */
export function signParameters(key: Buffer, parameters: Parameters, now: number): string {
  const payload = Buffer.from(JSON.stringify([now + LIFETIMES.consentPage, [...parameters]])).toString(
    'base64url',
  );
  return `${payload}.${sign(key, payload)}`;
}

/** The parameters of a text that was signed with this key; null for any other text. */
export function verifyParameters(key: Buffer, text: string, now: number): SignedParameters | null {
  const [, payload, signature] = /^([\w-]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (payload === undefined || signature === undefined) return null;
  if (!equalSecrets(signature, sign(key, payload))) return null;
  const [end, parameters] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    number,
    [string, string[]][],
  ];
  // Also expired if it lives too long: a clock that was set back would otherwise prolong it.
  return { parameters: new Map(parameters), expired: now >= end || end - now > LIFETIMES.consentPage };
}

function sign(key: Buffer, payload: string): string {
  return createHmac('sha256', key).update(payload).digest('base64url');
}

/**
 * Throws ErrorPage if the browser says that another site sent the form. Programs without these headers pass: no cookie is
 * read here, so no browser can be abused for its session.
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (!foreignSite && (origin === undefined || origin === new URL(publicUrl).origin)) return;
  const detail =
    'Another site sent this form. Start again from the app, and decide on the page of this service.';
  throw new ErrorPage('invalid_request', 'Not decided here', detail, { status: 403 });
}
