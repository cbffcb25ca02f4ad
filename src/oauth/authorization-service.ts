// Owns the wiring of registration and authorization: what their routes are given.

import type { Keys } from '../access/keys/keys.ts';
import type { Tiers } from '../access/tiers/tiers.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../postgres/client/database.ts';
import type { DocumentFinder } from './clients/find-client.ts';
import { FreeGrantCap, type FreeGrantNumbers } from './consents/free-grant-cap.ts';
import { keyJudge } from './consents/key-check.ts';
import type { RevocationNote } from './consents/revocation-store.ts';
import { createAudit } from './protocol/audit.ts';
import type { OAuthMetrics } from './protocol/metrics.ts';
import { sharedKeys } from './protocol/shared-key-store.ts';
import { Throttle } from './protocol/throttle.ts';
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
  readonly keys: Pick<Keys, 'verifyFresh'>;
  readonly documents: DocumentFinder;
  /** Registered clients kept. */
  readonly mostClients?: number | undefined;
  readonly freeGrantNumbers?: FreeGrantNumbers | undefined;
  readonly metrics: OAuthMetrics;
  /** Told what this process has revoked. */
  readonly revoked: (note: RevocationNote) => void;
}

/** What the routes are given. Starts nothing. */
export function authorizationParts(options: AuthorizationOptions): OAuthRoutesOptions {
  const { keys, log, mostClients, freeGrantNumbers, metrics, revoked, ...parts } = options;
  const { database, clock } = parts;
  const audit = createAudit(log);
  const numbers = freeGrantNumbers === undefined ? {} : { numbers: freeGrantNumbers };
  return {
    ...parts,
    ...(mostClients !== undefined && { mostClients }),
    audit,
    judgeKey: keyJudge(keys, clock),
    keys: sharedKeys(database),
    freeGrants: new Throttle(clock, FREE_GRANTS_PER_MINUTE),
    freeGrantCap: new FreeGrantCap({ ...parts, audit, metrics, revoked, ...numbers }),
  };
}
