// Owns one question to the subscription provider: how long it may take, and what counts as an answer.
import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import {
  type ActiveSubscription,
  ProviderUnavailable,
  type SubscriptionProvider,
  type Verdict,
} from '../tiers/provider.ts';
import { isPlan } from '../tiers/tiers.ts';

const PATIENCE = {
  milliseconds: 5_000,
  onTimeout: () => new ProviderUnavailable(new Error('The subscription provider did not answer in time')),
};

/** Puts one question to the provider; throws whatever it throws, or ProviderUnavailable for what is no answer in time. */
export async function askProvider(
  clock: Clock,
  ask: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Verdict> {
  const sentDate = clock.now();
  return atDate(sound(await withDeadline({ clock, ...PATIENCE }, ask)), sentDate);
}

/** Asks about a subscription by its reference, whatever is remembered of its keys: for exchanges that must see its end. */
export function askFresh(
  { provider, clock }: { readonly provider: SubscriptionProvider; readonly clock: Clock },
  subscription: string,
): Promise<Verdict> {
  return askProvider(clock, (signal) => provider.refresh(subscription, signal));
}

/** The answer, if it is a verdict; a provider that says anything else has said nothing, neither for nor against the key. */
function sound(answer: Partial<ActiveSubscription> | Verdict | null | undefined): Verdict {
  if (answer?.state === 'expired' || answer?.state === 'unknown') return { state: answer.state };
  if (answer?.state !== 'active') throw new ProviderUnavailable('The answer is no verdict');
  const { state, subscription, tier, endsAt } = answer;
  const known = typeof subscription === 'string' && subscription !== '' && typeof tier === 'string';
  if (!known || !isPlan(tier) || !(endsAt === null || Number.isFinite(endsAt))) {
    throw new ProviderUnavailable('The answer is only half a verdict');
  }
  return { state, subscription, tier, endsAt: endsAt ?? null };
}

/** What a verdict means at a date: a subscription whose end has passed is expired, whoever calls it active. */
function atDate(verdict: Verdict, date: number): Verdict {
  const over = verdict.state === 'active' && verdict.endsAt !== null && verdict.endsAt <= date;
  return over ? { state: 'expired' } : verdict;
}
