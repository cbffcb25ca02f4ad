// Scopes and resources (RFC 8707) of a token: what a client may ask for, and how it asks for less than it was granted.

import type { Scope } from '../../access/tiers/principal.ts';
import { SCOPES } from '../../access/tiers/tiers.ts';

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
