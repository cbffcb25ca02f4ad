// Signed parameters: what a page keeps between two forms, instead of a session.

import { createHmac } from 'node:crypto';
import { MINUTE } from '../../lib/clock.ts';
import { equalSecrets } from '../../lib/secrets.ts';

/** Milliseconds for which a page that was shown can be sent. */
export const PAGE_LIFETIME = 10 * MINUTE;

/** The parameters of a request by name, each with its values in the order sent. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

export interface SignedParameters {
  readonly parameters: Parameters;
  readonly expired: boolean;
}

/** The parameters as a signed text that anybody can read. `now`: Unix milliseconds. */
export function signParameters(key: Buffer, parameters: Parameters, now: number): string {
  const payload = Buffer.from(JSON.stringify([now + PAGE_LIFETIME, [...parameters]])).toString('base64url');
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
  return { parameters: new Map(parameters), expired: now >= end || end - now > PAGE_LIFETIME };
}

function sign(key: Buffer, payload: string): string {
  return createHmac('sha256', key).update(payload).digest('base64url');
}
