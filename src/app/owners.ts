// Wiring of the status of owners: the provider, grants without a key, and the revocations that change them.

import { createOwnerStatus, type OwnerStatus, type OwnerStatusOptions } from '../access/keys/owner-status.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import { findGrantState } from '../oauth/consents/grant-store.ts';
import type { Database } from '../postgres/client/database.ts';

/** Status of owners, which forgets what a revocation concerns. */
export function followOwners(
  options: Omit<OwnerStatusOptions, 'findGrantState'> & { readonly database: Database },
  oauth: Pick<AuthorizationServer, 'onRevoked'>,
): OwnerStatus {
  const { database, clock } = options;
  const ownerStatus = createOwnerStatus({
    ...options,
    findGrantState: (grant) =>
      database.read((sql) => findGrantState(sql, Number(grant), new Date(clock.now()))),
  });
  oauth.onRevoked((revocation) => {
    const [kind, grant = ''] = revocation.split(':');
    if (kind !== 'token') ownerStatus.invalidate(kind === 'grant' ? { grant } : 'any');
  });
  return ownerStatus;
}
