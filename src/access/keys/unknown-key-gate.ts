// Gate before questions about keys that were never valid in this process: junk is bounded, keys that others know pass.

import type { Clock } from '../../lib/clock.ts';
import type { CredentialAttempt } from '../limits/failure-throttle.ts';
import type { SubscriptionProvider } from '../tiers/provider.ts';
import { UnknownKeyBudget } from './unknown-key-budget.ts';

export interface UnknownKeyGateOptions {
  readonly provider: Pick<SubscriptionProvider, 'recognizes'>;
  readonly clock: Clock;
  /** Failed questions that are allowed per minute, and as many look-ups of keys that nobody knows. */
  readonly unknownKeysPerMinute?: number;
  /** The refusal of a question for which no place is free before so many milliseconds. */
  readonly refuse: (wait: number) => Error;
}

/** Gives a place back; tell it whether the question failed. */
export type EndQuestion = (failed: boolean) => void;

export const FREE: EndQuestion = () => {};

export class UnknownKeyGate {
  readonly #options: UnknownKeyGateOptions;
  readonly #questions: UnknownKeyBudget;
  readonly #lookups: UnknownKeyBudget;

  constructor(options: UnknownKeyGateOptions) {
    const { clock, unknownKeysPerMinute } = options;
    this.#options = options;
    this.#questions = new UnknownKeyBudget(clock, unknownKeysPerMinute);
    this.#lookups = new UnknownKeyBudget(clock, unknownKeysPerMinute);
  }

  /**
   * Asks once a place was reserved: at once if one is free. Where none is, a key that the provider recognizes needs none, so
   * that a restart does not shut out the many keys behind one address. Throws RATE_LIMITED or the refusal.
   */
  async pass<Answer>(
    key: string,
    attempt: CredentialAttempt,
    ask: (end: EndQuestion) => Promise<Answer>,
  ): Promise<Answer> {
    let end = FREE;
    try {
      end = this.#reserve(attempt);
    } catch (refusal) {
      if (!(await this.#isRecognized(key, attempt))) throw refusal;
    }
    return ask(end);
  }

  #reserve(attempt: CredentialAttempt): EndQuestion {
    attempt.begin();
    const wait = this.#questions.reserve(attempt.hasCleanRecord);
    if (wait > 0) throw this.#options.refuse(wait);
    return (failed) => this.#questions.release(failed);
  }

  /** Look-ups are bounded as questions are: junk costs the database no more than that. */
  async #isRecognized(key: string, attempt: CredentialAttempt): Promise<boolean> {
    const { provider } = this.#options;
    if (!provider.recognizes || this.#lookups.reserve(attempt.hasCleanRecord) > 0) return false;
    const isKnown = await provider.recognizes(key).catch(() => false);
    this.#lookups.release(!isKnown);
    return isKnown;
  }
}
