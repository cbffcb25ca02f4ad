// Webhook as a dispatcher holds it: claimed, with what there is to send.

import type { EventPosition } from '../events/event.ts';

/** An event's place in the queue of a webhook. */
export type QueuePosition = Pick<EventPosition, 'sequence' | 'type' | 'ordinal'>;

/** What deliveries change of a webhook. Times in milliseconds. */
export interface WebhookState {
  readonly status: 'unverified' | 'active' | 'failing' | 'disabled';
  /** The last event that was handled. */
  readonly position: QueuePosition;
  /** UTC day of that event; text of PostgreSQL, which knows -infinity. */
  readonly positionDay: string;
  /** Failed attempts of the event at the head of the queue. */
  readonly attempt: number;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** The queue rests until then; null: it does not. */
  readonly retryAt: number | null;
  readonly failingSince: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastError: string | null;
  /** Time of the oldest event that was not delivered. */
  readonly pendingSince: number | null;
  /** Sequence of a `watcher.test` to send out of turn. */
  readonly testSequence: number | null;
}

export interface ClaimedWebhook {
  readonly no: number;
  readonly id: string;
  readonly watcherId: string;
  readonly url: string;
  /** Host and port. */
  readonly host: string;
  readonly isInner: boolean;
  /** Sealed. */
  readonly secret: Uint8Array;
  readonly previousSecret: Uint8Array | null;
  readonly previousSecretUntil: number | null;
  readonly verifyStartedAt: number | null;
  /** Whether its watcher is paused by its owner, which holds its deliveries. */
  readonly isPaused: boolean;
  /** Whether its owner has asked for an event once more. */
  readonly hasRedelivery: boolean;
  /** As it was when it was claimed: something that happens meanwhile makes it grow. */
  readonly wakes: number;
  /** Changes when its owner changes it. */
  readonly updatedAt: string;
  readonly state: WebhookState;
  /** Named by every result. */
  readonly claim: string;
}

/** Why an event is sent: in turn, as a test, or because its owner asked for one more attempt. */
export type Occasion = 'queue' | 'test' | 'redelivery';

/** An event to send. */
export interface QueuedEvent {
  readonly occasion: Occasion;
  /** Whether its listing is closed to the owner by now: nothing is sent of it. */
  readonly isClosed: boolean;
  readonly position: QueuePosition;
  readonly day: string;
  readonly id: string;
  readonly at: number;
  /** The event object. */
  readonly json: string;
  readonly owner: string;
  /** Numbers of the licences of the listings that it shows. */
  readonly shown: readonly number[];
}

/** What came of one attempt. */
export interface Attempt {
  readonly isSuccess: boolean;
  /** Null: there was no answer. */
  readonly httpStatus: number | null;
  /** Milliseconds. */
  readonly latency: number;
  readonly response: string | null;
  /** Why it failed, for its owner; null: it succeeded. */
  readonly error: string | null;
  /** Milliseconds that the endpoint asked for, from the end of the attempt. */
  readonly retryAfter: number | null;
  /** When it began. */
  readonly at: number;
}
