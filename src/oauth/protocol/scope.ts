// Owns which scopes a client is asked to be granted: those that exist here, whatever else it names.

import type { Scope } from '../../access/tiers/principal.ts';
import { SCOPES } from '../../access/tiers/tiers.ts';

const ALL = Object.keys(SCOPES).filter(isScope);

/** Scopes of OpenID Connect that clients send along everywhere: they ask for nothing here. */
const TOLERATED: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** The scopes to be granted, in the order of the table; null where all that was asked for is unknown. Nothing: all. */
export function readScopes(asked: string | undefined): readonly Scope[] | null {
  const names = new Set((asked ?? '').split(' ').filter((name) => name !== '' && !TOLERATED.has(name)));
  if (names.size === 0) return ALL;
  const known = ALL.filter((scope) => names.has(scope));
  return known.length === 0 ? null : known;
}

function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name);
}
