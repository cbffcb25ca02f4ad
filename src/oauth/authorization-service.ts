// Wiring of registration and authorization: what their routes are given.

import type { KeyVerifier } from '../access/keys/key-verifier.ts';
import type { Tiers } from '../access/tiers/tiers.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../postgres/client/database.ts';
import type { DocumentFinder } from './clients/client-registry.ts';
import { createKeyCheck } from './consents/consent.ts';
import { FreeGrantCap, type FreeGrantLimits } from './consents/free-grant-cap.ts';
import type { Revocation } from './consents/revocation-store.ts';
import { createAudit, type OAuthMetrics } from './protocol/audit.ts';
import { sharedKeys } from './protocol/shared-key-store.ts';
import { RequestThrottle } from './protocol/throttle.ts';
import type { OAuthRoutesOptions } from './routes.ts';

/** Grants without a key that one address may make in any minute: many people share some of them. */
const FREE_GRANTS_PER_MINUTE = 300;

export interface AuthorizationOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly publicUrl: string;
  readonly report: (error: unknown) => void;
  readonly tiers: Tiers;
  readonly keys: Pick<KeyVerifier, 'verifyFresh'>;
  readonly documents: DocumentFinder;
  /** Registered clients kept. */
  readonly mostClients?: number | undefined;
  readonly freeGrantNumbers?: FreeGrantLimits | undefined;
  readonly metrics: OAuthMetrics;
  /** Told what this process has revoked. */
  readonly onRevoked: (note: Revocation) => void;
}

/** What the routes are given. Starts nothing. */
export function createAuthorizationOptions(options: AuthorizationOptions): OAuthRoutesOptions {
  const { keys, log, mostClients, freeGrantNumbers, metrics, onRevoked, ...parts } = options;
  const { database, clock } = parts;
  const audit = createAudit(log);
  const numbers = freeGrantNumbers === undefined ? {} : { numbers: freeGrantNumbers };
  return {
    ...parts,
    ...(mostClients !== undefined && { mostClients }),
    audit,
    checkKey: createKeyCheck(keys, clock),
    keys: sharedKeys(database),
    freeGrants: new RequestThrottle(clock, FREE_GRANTS_PER_MINUTE),
    freeGrantCap: new FreeGrantCap({ ...parts, audit, metrics, onRevoked, ...numbers }),
  };
}
