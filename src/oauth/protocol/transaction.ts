// Signed parameters that a page carries to its own form, so that no process has to store who is deciding.

import { createHmac } from 'node:crypto';
import { equalSecrets } from '../../lib/secrets.ts';

/** Milliseconds in which a person can decide. */
const LIFETIME = 600_000;

/** The parameters of a request by name, each with its values in the order sent. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

export interface SignedParameters {
  readonly parameters: Parameters;
  /** Whether its time is over. */
  readonly expired: boolean;
}

/** A text that only holders of the key can make, and that anybody can read. `now`: wall-clock milliseconds. */
export function signParameters(key: Buffer, parameters: Parameters, now: number): string {
  const payload = Buffer.from(JSON.stringify([now + LIFETIME, [...parameters]])).toString('base64url');
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
  return { parameters: new Map(parameters), expired: now >= end || end - now > LIFETIME };
}

function sign(key: Buffer, payload: string): string {
  return createHmac('sha256', key).update(payload).digest('base64url');
}
