// Budget of calls to a payment service: over all processes together they stay below its limit.

/**
 * Who waits for a call. `known`: a key that was good before, or a person. `unknown`: a key that was never seen, which may be
 * junk. `background`: a pass over all keys, or an event.
 */
export type Urgency = 'known' | 'unknown' | 'background';

export interface CallBudget {
  /** Resolves when a call may be sent, now. Throws ProviderUnavailable when no place becomes free in time. */
  reserve(urgency: Urgency, signal: AbortSignal): Promise<void>;
}
