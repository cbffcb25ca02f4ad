// Signatures of payment services under their webhooks: checked over the bytes that came, before anything reads them. Pure.

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalSecrets } from '../lib/secrets.ts';

/** Milliseconds by which a signature may be older or newer than this service's clock. */
export const TOLERANCE = 300_000;

/** Signatures of one request that are looked at: services send one for each of their present secrets. */
const MAX_SIGNATURES = 10;

/** Why a request was not sent by the service: no or half a signature, an old or a future one, one by other secrets or of other bytes. */
export type SignatureFault = 'missing' | 'time' | 'signature';

/** A request as its signature covers it. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** One, or two during a rotation, as the service shows them. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a request claims before anything was checked. */
interface Claim {
  /** Seconds since the epoch, as they were signed. */
  readonly time: string;
  /** What is signed in front of the body. */
  readonly prefix: string;
  readonly signatures: readonly string[];
}

/** Null: a present secret signed these bytes within the tolerance. Standard Webhooks: `webhook-id`, `-timestamp` and `-signature`. */
export function faultOfPolar(request: SignedRequest): SignatureFault | null {
  return judge(request, polarClaim(request.headers), 'base64', request.secrets.flatMap(polarKeys));
}

/** Null: a present secret signed these bytes within the tolerance. The header is `stripe-signature`. */
export function faultOfStripe(request: SignedRequest): SignatureFault | null {
  const keys = request.secrets.map((secret) => Buffer.from(secret));
  return judge(request, stripeClaim(request.headers), 'hex', keys);
}

function polarClaim(headers: IncomingHttpHeaders): Claim | null {
  const [id, time, list] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !time || !list) return null;
  const signatures = list
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => entry.slice(3));
  return { time, prefix: `${id}.${time}.`, signatures };
}

function stripeClaim(headers: IncomingHttpHeaders): Claim | null {
  const pairs = (headerOf(headers, 'stripe-signature') ?? '').split(',').map((pair) => pair.trim());
  const valuesOf = (name: string) =>
    pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  const [time, ...others] = valuesOf('t');
  if (time === undefined || others.length > 0) return null;
  return { time, prefix: `${time}.`, signatures: valuesOf('v1') };
}

/**
 * The keys that a secret stands for: its text, and what follows `whsec_` decoded. Polar signs with the text of secrets made until
 * 8 September 2026, and with the decoded form of later ones; nothing but the key itself tells which.
 */
function polarKeys(secret: string): readonly Buffer[] {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const text = Buffer.from(secret);
  return base64 === undefined ? [text] : [Buffer.from(base64, 'base64'), text];
}

function judge(
  { body, now }: SignedRequest,
  claim: Claim | null,
  encoding: 'base64' | 'hex',
  keys: readonly Buffer[],
): SignatureFault | null {
  if (claim === null || claim.signatures.length === 0 || !/^\d{1,12}$/.test(claim.time)) return 'missing';
  if (Math.abs(now - Number(claim.time) * 1_000) > TOLERANCE) return 'time';
  const given = claim.signatures.slice(0, MAX_SIGNATURES);
  const isSigned = keys
    .map((key) => createHmac('sha256', key).update(claim.prefix).update(body).digest(encoding))
    .some((expected) => given.some((signature) => equalSecrets(expected, signature)));
  return isSigned ? null : 'signature';
}

/** Undefined for a header that was sent twice, which two readers could read differently. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
