// Context that all endpoints of the authorization server share.

import type { SharedCounting } from '../../access/limits/shared/shared-counting.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Audit, AuditDetail, OAuthMetrics, RevocationReason } from './audit.ts';

export interface OAuthContext {
  readonly database: Database;
  readonly clock: Clock;
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  /** Where the service is reached from outside, without a slash at the end: the issuer. */
  readonly publicUrl: string;
  readonly audit: Audit;
  readonly metrics: OAuthMetrics;
  /** Called with what this process revokes; other processes hear of it from the database. */
  readonly onRevoked: (revocation: Revocation) => void;
  /** Called with errors that no client sees, for the log. */
  readonly report: (error: unknown) => void;
}

/** `grant:17`, or `token:` and the hash in hexadecimal; `*`: any may have been revoked. */
export type Revocation = string;

/** Tells this process, the audit log and the metrics that a grant was revoked with all its tokens. */
export function announceRevocation(
  { onRevoked, audit, metrics }: OAuthContext,
  detail: AuditDetail & { readonly grant: number; readonly reason: RevocationReason },
): void {
  onRevoked(`grant:${detail.grant}`);
  audit('family_revoked', detail);
  metrics.revoked(detail.reason);
}
