// Codes and tokens: their form, lifetimes, scopes and resources (RFC 8707).

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SCOPES, type Scope } from '../../access/tiers/tiers.ts';

/** Authorization code, access token, refresh token; the kind stands before the first underscore, so none is taken for another. */
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
  // A checksum protects nothing: it only spares the database what cannot be in it.
  return FORM.test(text) && text.startsWith(kind) && text.endsWith(checksum(text.slice(0, RANDOM_END)));
}

/** SHA-256 by which a secret is stored and looked up, in hexadecimal: no comparison then depends on the secret itself. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** An access token and the refresh token issued with it. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * The pair that replaces a refresh token, the same at each call, so that a client whose answer was lost gets it again.
 * Token and nonce hold 256 random bits each, so the halves of one digest are as good as random to whoever lacks either;
 * the database lacks the token.
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

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Milliseconds. */
export const CONSENT_PAGE_LIFETIME = 10 * MINUTE;
export const CODE_LIFETIME = 5 * MINUTE;
export const ACCESS_LIFETIME = 60 * MINUTE;
export const REFRESH_LIFETIME = 30 * DAY;
/** A registered client requests new authorizations for that long. */
export const CLIENT_LIFETIME = 30 * DAY;

/** A refresh writes to its grant only when the grant's dates are that old. */
export const RENEWAL_INTERVAL = DAY;

/** The operator's settings. */
export interface GrantLimits {
  /** Milliseconds in which a replaced refresh token still leads to the pair that replaced it. */
  readonly grace: number;
  /** Milliseconds after consent at which every token of a grant ends; null: as long as it is refreshed. */
  readonly maxAge: number | null;
}

/** The limits as the configuration gives them, in seconds and days. */
export function createGrantLimits(settings: {
  readonly refreshGrace: number;
  readonly grantMaxDays: number | null;
}): GrantLimits {
  const { refreshGrace, grantMaxDays } = settings;
  return { grace: refreshGrace * 1_000, maxAge: grantMaxDays === null ? null : grantMaxDays * DAY };
}

export interface Expiries {
  readonly access: Date;
  readonly refresh: Date;
  /** No token issued within the next day outlives it. */
  readonly grant: Date;
}

/** When the tokens of a grant end that are issued now; all at its end, where that comes first. Wall-clock milliseconds. */
export function computeExpiries(now: number, createdAt: number, { maxAge }: GrantLimits): Expiries {
  const end = maxAge === null ? Number.POSITIVE_INFINITY : createdAt + maxAge;
  const until = (lifetime: number) => new Date(Math.min(now + lifetime, end));
  return {
    access: until(ACCESS_LIFETIME),
    refresh: until(REFRESH_LIFETIME),
    grant: until(REFRESH_LIFETIME + RENEWAL_INTERVAL),
  };
}

const ALL = Object.keys(SCOPES).filter(isScope);

/** Scopes of OpenID Connect that clients send along everywhere: they ask for nothing here. */
const TOLERATED: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** The scopes to be granted, in the order of the table; null where all that was requested is unknown. Nothing: all. */
export function parseScopes(requested: string | undefined): readonly Scope[] | null {
  const names = splitScopes(requested);
  if (names.length === 0) return ALL;
  const known = ALL.filter((scope) => names.includes(scope));
  return known.length === 0 ? null : known;
}

/** The scopes of a new token; null where one is requested that was not granted. Nothing: all. Separated by spaces. */
export function downscope(granted: string, requested: string | undefined): string | null {
  const names = splitScopes(requested);
  if (names.length === 0) return granted;
  const held = granted.split(' ');
  if (!names.every((name) => held.includes(name))) return null;
  return held.filter((scope) => names.includes(scope)).join(' ');
}

/** The resources of this service: its API, and the MCP endpoint. */
export function resourcesAt(publicUrl: string): readonly [api: string, mcp: string] {
  return [publicUrl, `${publicUrl}/mcp`];
}

/**
 * The resources of a grant or a token, as they are stored; null where one is requested that is not available. Nothing:
 * all. Some clients add a slash at the end, which means the same.
 */
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
  return (text ?? '').split(' ').filter((name) => name !== '' && !TOLERATED.has(name));
}

function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name);
}
