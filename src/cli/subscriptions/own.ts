// Subscriptions of our own, as commands open them; where a payment service keeps them, commands say what to do there.

import {
  createLocalSubscriptions,
  type LocalSubscriptions,
} from '../../access/providers/subscription-store.ts';
import { type Config, readConfig } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { type OpenOptions, withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';

/** Does work on subscriptions of our own. Throws CommandFailure where a payment service keeps them. */
export async function withOwnSubscriptions<T>(
  work: (subscriptions: LocalSubscriptions) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const config = readConfig();
  requireOwn(config);
  return withDatabase(config, (database) => work(createLocalSubscriptions(database, systemClock)), options);
}

const ELSEWHERE = {
  polar:
    'SUBSCRIPTIONS=polar: Polar keeps the subscriptions and issues their keys. Make, change and end them there; ' +
    'this service follows by itself.',
  stripe:
    'SUBSCRIPTIONS=stripe: Stripe keeps the subscriptions. Make, change and end them there; this service follows by ' +
    'itself. `freehold subscriptions create --for` with the id of a subscription issues its key, and ends an earlier one.',
} as const;

function requireOwn({ subscriptions: { kind } }: Pick<Config, 'subscriptions'>): void {
  if (kind !== 'local') throw new CommandFailure(ELSEWHERE[kind], EXIT.usage);
}

export function noSubscription(id: string): CommandFailure {
  return new CommandFailure(`There is no subscription ${id}: \`freehold subscriptions list\` shows them.`);
}

export function requireFuture(option: string, moment: Date | undefined, remedy: string): void {
  if (moment === undefined || moment.getTime() > systemClock.now()) return;
  throw new CommandFailure(
    `${option} ${moment.toISOString()} is in the past: set a future time; ${remedy}.`,
    EXIT.usage,
  );
}
