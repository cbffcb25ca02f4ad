// Verification of the credential of an open stream: whether it is still good for it, and its subscription has not ended.

import type { OwnerStatus } from '../access/keys/owner-status.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import type { Access, Phases } from '../http/frame/route.ts';
import { Problem } from '../lib/problem.ts';
import type { Credential } from '../watch/feeds/credential-checks.ts';

/** Verifies a credential as a request would; throws a 401 for one whose subscription or grant has ended, too. */
export function createVerifyCredential(
  phases: Pick<Phases<Principal>, 'identify' | 'allow'>,
  ownerStatus: Pick<OwnerStatus, 'check' | 'checkGrant'>,
) {
  return async ({ authorization, address }: Credential, access: Access): Promise<void> => {
    const caller = await phases.identify({ headers: { authorization }, address }, access);
    const refusal = phases.allow(caller, access);
    if (refusal !== null) throw refusal;
    const { subscription, grant } = caller;
    const status =
      subscription === null
        ? await ownerStatus.checkGrant(grant ?? '')
        : await ownerStatus.check(subscription);
    if (status.state === 'ended' || status.state === 'revoked')
      throw new Problem('EXPIRED_API_KEY', 'The subscription has ended.');
  };
}
