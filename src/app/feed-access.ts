// Access of open feeds: whether their credential may still read events, and its subscription has not ended.

import type { OwnerStatus } from '../access/keys/owner-status.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import type { Phases } from '../http/frame/route.ts';
import { Problem } from '../lib/problem.ts';
import type { Credential } from '../watch/feeds/credential-checks.ts';
import { FEED_ACCESS } from '../watch/feeds/routes.ts';

/** Verifies a credential as a request would; throws a 401 for one whose subscription or grant has ended, too. */
export function createVerifyFeed(
  phases: Pick<Phases<Principal>, 'identify' | 'allow'>,
  ownerStatus: Pick<OwnerStatus, 'check' | 'checkGrant'>,
) {
  return async ({ authorization, address }: Credential): Promise<void> => {
    const caller = await phases.identify({ headers: { authorization }, address }, FEED_ACCESS);
    const refusal = phases.allow(caller, FEED_ACCESS);
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
