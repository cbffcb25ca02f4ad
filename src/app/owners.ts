// Wiring of the status of owners: subscriptions, grants without a key, and the revocations that change them.

import { createOwnerStatus, type OwnerStatus, type OwnerStatusOptions } from '../access/keys/owner-status.ts';
import type { Clock } from '../lib/clock.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import { findGrantState } from '../oauth/consents/grant-store.ts';
import type { Database } from '../postgres/client/database.ts';

/** Status of owners, with hints of revocations. */
export function followOwners(
  options: Omit<OwnerStatusOptions, 'findGrantState'> & {
    readonly database: Database;
    readonly clock: Clock;
  },
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
    if (kind === 'grant') ownerStatus.hint({ grant });
  });
  return ownerStatus;
}
