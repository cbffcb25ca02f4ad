// Key of a subscription at Stripe that was made elsewhere, or whose key is lost.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import { openPayments } from '../../app/subscriptions.ts';
import type { IssueFault } from '../../billing/stripe/stripe-service.ts';
import { type Config, readConfig } from '../../config.ts';
import { keepAlive, systemClock } from '../../lib/clock.ts';
import { revokeGrantsOfSubscription } from '../../oauth/consents/grant-store.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { print } from '../output.ts';

const FAULTS: Readonly<Record<IssueFault, string>> = {
  missing: 'Stripe knows no such subscription: its dashboard shows the id, which begins with sub_.',
  foreign:
    'it names no plan. Give its price the lookup key freehold_<plan>, its product the metadata freehold_plan, or the ' +
    'product a feature freehold_<plan>.',
  over: 'it has ended at Stripe. A new subscription gets a key.',
};

/** Issues the key; an earlier one of the same subscription is refused from now on. */
export async function issueKeyFor(
  reference: string,
): Promise<{ readonly id: string; readonly key: string; readonly plan: Plan; readonly customer: string }> {
  const config = readConfig();
  requireStripe(config);
  return withDatabase(config, (database) =>
    keepAlive(async () => {
      const { stripe, mirror, close } = openPayments({
        config,
        database,
        clock: systemClock,
        report: () => {},
        endGrants: async (tx, subscription) =>
          void (await revokeGrantsOfSubscription(tx, subscription, new Date(systemClock.now()))),
      });
      try {
        const issued = await stripe?.issueKey(reference, new AbortController().signal);
        if (issued === undefined || typeof issued === 'string') {
          throw new CommandFailure(`There is no key for ${reference}: ${FAULTS[issued ?? 'missing']}`);
        }
        await mirror.renew(reference).catch(warnOfDelay);
        return { ...issued, id: reference };
      } finally {
        await close();
      }
    }),
  );
}

/** The new key works already; only the end of an earlier one is late. */
function warnOfDelay(error: unknown): void {
  if (!(error instanceof ProviderUnavailable)) throw error;
  print(process.stderr, 'Stripe did not answer again: an earlier key may work for another ten minutes.');
}

function requireStripe({ subscriptions: { kind } }: Pick<Config, 'subscriptions'>): void {
  if (kind === 'stripe') return;
  const remedy =
    kind === 'polar'
      ? 'Polar issues a key with each order.'
      : '`freehold subscriptions create --plan` makes a subscription of your own with its key.';
  throw new CommandFailure(`--for is for SUBSCRIPTIONS=stripe, and this is ${kind}: ${remedy}`, EXIT.usage);
}
