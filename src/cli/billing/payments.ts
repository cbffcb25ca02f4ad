// The payment service as commands use it: opened for one piece of work, without anything in the background.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import { openPayments, type PaymentParts } from '../../app/subscriptions.ts';
import type { ProviderName } from '../../billing/event-store.ts';
import { PaymentApiFailure } from '../../billing/payment-api.ts';
import type { PaymentService } from '../../billing/payment-service.ts';
import { type Config, readConfig } from '../../config.ts';
import { keepAlive, systemClock } from '../../lib/clock.ts';
import { revokeGrantsOfSubscription } from '../../oauth/consents/grant-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';

/** Throws CommandFailure where there is no payment service. */
export function requireProvider({ subscriptions }: Pick<Config, 'subscriptions'>): ProviderName {
  if (subscriptions.kind !== 'local') return subscriptions.kind;
  throw new CommandFailure(NO_PROVIDER);
}

export const NO_PROVIDER =
  'There is no payment service: SUBSCRIPTIONS=local keeps the subscriptions here. `freehold subscriptions` manages them.';

export interface CommandPayments extends PaymentParts {
  readonly config: Config;
  readonly database: Database;
  readonly provider: ProviderName;
}

/** Opens the database and the payment service for the work. Throws CommandFailure where there is none, or it gives no answer. */
export function withPaymentService<T>(work: (payments: CommandPayments) => Promise<T>): Promise<T> {
  const config = readConfig();
  const provider = requireProvider(config);
  return withDatabase(config, async (database) => {
    const payments = openPayments({
      config,
      database,
      clock: systemClock,
      report: () => {},
      async endGrants(tx, subscription) {
        await revokeGrantsOfSubscription(tx, subscription, new Date(systemClock.now()));
      },
    });
    try {
      return await keepAlive(() => work({ ...payments, config, database, provider }));
    } catch (error) {
      throw error instanceof ProviderUnavailable ? new CommandFailure(unavailable(error)) : error;
    } finally {
      await payments.close();
    }
  });
}

/** How the payment service took a question. */
export type Reception =
  | { readonly state: 'accepted'; readonly error: null }
  | { readonly state: 'denied' | 'unavailable'; readonly error: string };

/** Of nothing: what is requested does not matter, only whether it may be. */
const NOBODY: Readonly<Record<ProviderName, string>> = {
  polar: '00000000-0000-4000-8000-000000000000',
  stripe: 'sub_000000000000000000000000',
};

/** Asks the payment service one small question with the credentials of the configuration. */
export async function knock(service: PaymentService): Promise<Reception> {
  try {
    await service.find(NOBODY[service.name], new AbortController().signal);
    return { state: 'accepted', error: null };
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    const isDenied = error.cause instanceof PaymentApiFailure && error.cause.outcome === 'denied';
    return { state: isDenied ? 'denied' : 'unavailable', error: causeOf(error) };
  }
}

const unavailable = (error: ProviderUnavailable) =>
  `The payment service gave no answer: ${causeOf(error)}. Run the command again; \`freehold billing status\` shows whether it ` +
  'accepts the credentials.';

function causeOf({ cause, message }: ProviderUnavailable): string {
  return cause instanceof Error ? cause.message : message;
}
