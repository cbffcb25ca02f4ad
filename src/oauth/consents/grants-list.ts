// Grants of a subscription: listed and ended by whoever holds its key, or a short-lived proof of it.

import type { Scope } from '../../access/tiers/principal.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import type { Audit } from '../protocol/audit.ts';
import type { OAuthMetrics } from '../protocol/metrics.ts';
import { signParameters, verifyParameters } from '../protocol/transaction.ts';
import type { ConsentContext } from './consent.ts';
import { type GrantRow, listGrantsOf } from './grant-store.ts';
import { type Revocation, revokeGrantOf } from './revocation-store.ts';

export interface GrantsContext extends Pick<ConsentContext, 'database' | 'clock' | 'checkKey' | 'keys'> {
  readonly audit: Audit;
  readonly metrics: OAuthMetrics;
  readonly onRevoked: (note: Revocation) => void;
}

/** One grant, as its owner sees it. */
export interface OwnGrant {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string | null;
  readonly scopes: readonly Scope[];
  readonly tier: Plan;
  /** Wall-clock milliseconds. */
  readonly since: number;
  /** The same, true to the day. */
  readonly lastUsedAt: number;
}

const SUBSCRIPTION = 'subscription';
const GRANT_ID = /^\d{1,15}$/;

/** A text that stands for a key for ten minutes, at this page alone: the key need not be typed twice, nor be kept. */
export async function proveSubscription(
  { keys, clock }: GrantsContext,
  subscription: string,
): Promise<string> {
  const { grants } = await keys();
  return signParameters(grants, new Map([[SUBSCRIPTION, [subscription]]]), clock.now());
}

/** The subscription that a proof stands for; null where it is none, or its time is over. */
export async function provenSubscription(parts: GrantsContext, proof: string): Promise<string | null> {
  const { grants } = await parts.keys();
  const opened = verifyParameters(grants, proof, parts.clock.now());
  return opened === null || opened.expired ? null : (opened.parameters.get(SUBSCRIPTION)?.[0] ?? null);
}

/** The grants of a subscription that are of use, the newest first, a thousand at most. Throws DATABASE_UNAVAILABLE. */
export async function listOwnGrants(
  { database, clock }: GrantsContext,
  subscription: string,
): Promise<readonly OwnGrant[]> {
  const now = new Date(clock.now());
  const rows = await database.read((sql) => listGrantsOf(sql, subscription, now));
  return rows.map(toOwnGrant);
}

/** Ends one grant of this subscription; false where it has no such grant, or no longer. */
export async function endOwnGrant(parts: GrantsContext, subscription: string, id: string): Promise<boolean> {
  if (!GRANT_ID.test(id)) return false;
  const grant = Number(id);
  const now = new Date(parts.clock.now());
  const ended = await parts.database.write((sql) => revokeGrantOf(sql, subscription, grant, now));
  if (!ended) return false;
  parts.onRevoked(`grant:${grant}`);
  parts.audit('family_revoked', { grant, reason: 'owner_request' });
  parts.metrics.revoked('owner_request');
  return true;
}

function toOwnGrant({ id, clientId, clientName, scope, tier, createdAt, renewedAt }: GrantRow): OwnGrant {
  return {
    ...{ id: String(id), clientId, clientName, tier },
    scopes: scope.split(' ') as Scope[],
    since: Date.parse(createdAt),
    lastUsedAt: Date.parse(renewedAt),
  };
}
