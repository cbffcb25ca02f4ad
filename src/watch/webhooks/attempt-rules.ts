// Rules of attempts: what an answer means for the delivery, for the queue and for the webhook. Pure.

import type { Attempt, QueuedEvent, WebhookState } from './claimed-webhook.ts';
import { FAILING_TIME, MAX_ATTEMPTS, pauseAfter, VERIFICATION_TIME } from './retry-schedule.ts';

export interface AttemptOutcome {
  readonly state: WebhookState;
  readonly status: 'succeeded' | 'failed' | 'parked';
  /** Milliseconds; null: none follows by itself. */
  readonly nextAttemptAt: number | null;
  /** Why the webhook is to be disabled; null: it is not. */
  readonly disable: DisableReason | null;
}

/** gone: 410. failing: no success for five days. unverified: no answer to the test for a day. */
export type DisableReason = 'gone' | 'failing' | 'unverified';

export interface AttemptContext {
  readonly event: QueuedEvent;
  readonly attempt: Attempt;
  readonly verifyStartedAt: number | null;
  /** From 0 to 1. */
  readonly random: number;
}

const GONE = 410;

/** What follows from an attempt. */
export function decideOutcome(state: WebhookState, context: AttemptContext): AttemptOutcome {
  const { event, attempt } = context;
  const tested = event.occasion === 'test' ? { ...state, testSequence: null } : state;
  if (attempt.isSuccess)
    return succeeded(event.occasion === 'queue' ? passed(tested, event) : tested, attempt);
  const failed = { ...state, lastError: attempt.error };
  if (attempt.httpStatus === GONE)
    return { state: failed, status: 'failed', nextAttemptAt: null, disable: 'gone' };
  if (state.status === 'unverified') return failedVerification(failed, context);
  if (event.occasion === 'queue') return failedInTurn(failed, context);
  return {
    state: { ...tested, lastError: attempt.error },
    status: 'failed',
    nextAttemptAt: null,
    disable: null,
  };
}

/** The queue behind an event. */
export function passed(state: WebhookState, { position, day }: QueuedEvent): WebhookState {
  return { ...state, position, positionDay: day, attempt: 0 };
}

/** Any success ends the backoff. */
function succeeded(state: WebhookState, { at }: Attempt): AttemptOutcome {
  const healthy: WebhookState = {
    ...state,
    status: 'active',
    attempt: 0,
    failures: 0,
    retryAt: null,
    failingSince: null,
    lastSuccessAt: at,
    lastError: null,
  };
  return { state: healthy, status: 'succeeded', nextAttemptAt: null, disable: null };
}

function failedInTurn(before: WebhookState, { event, attempt, random }: AttemptContext): AttemptOutcome {
  const { at } = attempt;
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? at;
  const retryAt = retryTime(attempt, failures, random);
  const state: WebhookState = {
    ...before,
    status: 'failing',
    attempt: before.attempt + 1,
    failures,
    failingSince,
    retryAt,
  };
  if (at - failingSince >= FAILING_TIME)
    return { state, status: 'failed', nextAttemptAt: null, disable: 'failing' };
  if (state.attempt < MAX_ATTEMPTS) return { state, status: 'failed', nextAttemptAt: retryAt, disable: null };
  return { state: passed(state, event), status: 'parked', nextAttemptAt: null, disable: null };
}

/** The test of an unverified webhook is repeated for a day. */
function failedVerification(
  before: WebhookState,
  { attempt, verifyStartedAt, random }: AttemptContext,
): AttemptOutcome {
  const failures = before.failures + 1;
  const retryAt = retryTime(attempt, failures, random);
  const state = { ...before, failures, retryAt };
  if (retryAt - (verifyStartedAt ?? attempt.at) <= VERIFICATION_TIME)
    return { state, status: 'failed', nextAttemptAt: retryAt, disable: null };
  return { state, status: 'failed', nextAttemptAt: null, disable: 'unverified' };
}

/** The pause begins when the attempt ends, which is up to its timeout after it began. */
function retryTime({ at, latency, retryAfter }: Attempt, failures: number, random: number): number {
  return Math.round(at + latency) + pauseAfter({ failures, retryAfter }, random);
}
