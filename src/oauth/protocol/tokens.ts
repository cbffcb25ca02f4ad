// Codes and tokens: their form, lifetimes, scopes and resources (RFC 8707).

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { PAGE_LIFETIME } from '../../access/key-form/signed-parameters.ts';
import type { Scope } from '../../access/tiers/tiers.ts';
import { SCOPES } from '../../access/tiers/tiers.ts';
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts';

/** Authorization code, access token, refresh token: the prefix of a secret, so that none is mistaken for another. */
export type SecretKind = 'ac' | 'at' | 'rt';

const RANDOM_BYTES = 32;
/** A kind and its underscore, 43 characters of random bits, 6 of checksum. */
const FORM = /^(?:ac|at|rt)_[\w-]{49}$/;
const RANDOM_END = 46;

/** A new secret, such as `at_…`: 52 characters of which 43 are random. */
export function createSecret(kind: SecretKind): string {
  return formatSecret(kind, randomBytes(RANDOM_BYTES));
}

/** Whether a text has the form of a secret of this kind, and its checksum. */
export function isSecret(kind: SecretKind, text: string): boolean {
  // The checksum protects nothing: it spares the database lookups that must fail.
  return FORM.test(text) && text.startsWith(kind) && text.endsWith(checksum(text.slice(0, RANDOM_END)));
}

/** An access token and the refresh token issued with it. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * The pair that replaces a refresh token: the same at each call, so that a client that lost the response gets it again.
 * Token and nonce hold 256 random bits each, so without either of them the halves of the digest are as good as random; the
 * database lacks the token.
 */
export function deriveTokenPair(refreshToken: string, nonce: string): TokenPair {
  const bytes = hash('sha512', `freehold successor ${nonce} ${refreshToken}`, 'buffer');
  return {
    accessToken: formatSecret('at', bytes.subarray(0, RANDOM_BYTES)),
    refreshToken: formatSecret('rt', bytes.subarray(RANDOM_BYTES)),
  };
}

function formatSecret(kind: SecretKind, random: Buffer): string {
  const body = `${kind}_${random.toString('base64url')}`;
  return body + checksum(body);
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url');
}

/** Milliseconds. */
export const LIFETIMES = {
  consentPage: PAGE_LIFETIME,
  code: 5 * MINUTE,
  accessToken: HOUR,
  refreshToken: 30 * DAY,
  /** A registered client can request new authorizations for that long. */
  registration: 30 * DAY,
} as const;

/** Milliseconds after which a refresh also updates the dates of its grant. */
export const RENEWAL_INTERVAL = DAY;

/** Settings of the operator. */
export interface GrantLimits {
  /** Milliseconds for which a replaced refresh token still returns the pair that replaced it. */
  readonly grace: number;
  /** Milliseconds from consent to the end of all tokens of a grant; null: as long as it is refreshed. */
  readonly maxAge: number | null;
}

/** @param settings in seconds and days */
export function createGrantLimits(settings: {
  readonly refreshGrace: number;
  readonly grantMaxDays: number | null;
}): GrantLimits {
  const { refreshGrace, grantMaxDays } = settings;
  return { grace: refreshGrace * 1_000, maxAge: grantMaxDays && grantMaxDays * DAY };
}

export interface Expiries {
  readonly accessExpires: Date;
  readonly refreshExpires: Date;
  /** Later than those of all tokens issued within the next day. */
  readonly grantExpires: Date;
}

/** When tokens issued now expire, and their grant: at the latest when the grant reaches its maximum age. Unix milliseconds. */
export function computeExpiries(now: number, createdAt: number, { maxAge }: GrantLimits): Expiries {
  const end = maxAge === null ? Number.POSITIVE_INFINITY : createdAt + maxAge;
  const until = (lifetime: number) => new Date(Math.min(now + lifetime, end));
  return {
    accessExpires: until(LIFETIMES.accessToken),
    refreshExpires: until(LIFETIMES.refreshToken),
    grantExpires: until(LIFETIMES.refreshToken + RENEWAL_INTERVAL),
  };
}

const ALL = Object.keys(SCOPES).filter(isScope);

/** Scopes of OpenID Connect that clients send everywhere. */
const IGNORED: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** The requested scopes that exist, in the order of the table; all if none is requested; null if none exists. */
export function parseScopes(requested: string | undefined): readonly Scope[] | null {
  const names = splitScopes(requested);
  if (names.length === 0) return ALL;
  const scopes = ALL.filter((scope) => names.includes(scope));
  return scopes.length === 0 ? null : scopes;
}

/** The scopes of a new token, separated by spaces; all if none is requested; null if one was not granted. */
export function downscope(granted: string, requested: string | undefined): string | null {
  const names = splitScopes(requested);
  if (names.length === 0) return granted;
  const scopes = granted.split(' ');
  if (!names.every((name) => scopes.includes(name))) return null;
  return scopes.filter((scope) => names.includes(scope)).join(' ');
}

/** The resources of this service: its API, and the MCP endpoint. */
export function resourcesAt(publicUrl: string): readonly [api: string, mcp: string] {
  return [publicUrl, `${publicUrl}/mcp`];
}

/** The requested resources; all if none is requested; null if one is not available. A slash at the end is ignored. */
export function selectResources(
  available: readonly string[],
  requested: readonly string[],
): readonly string[] | null {
  if (requested.length === 0) return available;
  const names = requested.map((resource) => resource.replace(/\/$/, ''));
  if (!names.every((name) => available.includes(name))) return null;
  return available.filter((resource) => names.includes(resource));
}

function splitScopes(text: string | undefined): readonly string[] {
  return (text ?? '').split(' ').filter((name) => name !== '' && !IGNORED.has(name));
}

function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name);
}
