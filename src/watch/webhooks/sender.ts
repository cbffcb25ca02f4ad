// Sender of deliveries: one POST, signed as Standard Webhooks describes, and its answer as an attempt.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { FailureKind, OutboundFailure } from '../../lib/outbound-failure.ts';
import type { PostAnswer } from '../../lib/outbound-post.ts';
import type { Attempt, ClaimedWebhook, QueuedEvent } from './claimed-webhook.ts';
import { parseRetryAfter } from './retry-schedule.ts';
import type { WebhookAccess } from './webhook-access.ts';

export interface SenderOptions {
  readonly clock: Clock;
  readonly access: Pick<WebhookAccess, 'outbound'>;
  /** Opens a sealed secret; throws if no key fits. */
  readonly openSecret: (sealed: Uint8Array, watcherId: string) => Uint8Array;
}

/** What is sent to one webhook: its secrets are opened once. */
export interface Sender {
  /** Rejects with OutboundFailure `aborted` if the signal aborts, and with nothing else. */
  send(event: QueuedEvent, signal: AbortSignal): Promise<Attempt>;
}

/** Milliseconds for the status of an answer. */
export const POST_TIMEOUT = 15_000;
/** Bytes of an answer that its owner is shown. */
const RESPONSE_BYTES = 1_000;
const USER_AGENT = 'Freehold-Webhooks/1';

/** Why there was no answer, for the owner. */
const FAULTS: Readonly<Record<Exclude<FailureKind, 'aborted'>, string>> = {
  timeout: 'No answer within 15 seconds',
  refused: 'The connection was refused',
  reset: 'The connection was closed before an answer',
  unresolved: 'The name of the host has no address',
  too_large: 'The head of the answer is too large',
  malformed: 'The answer is not HTTP',
  tls: 'The certificate of the host is not valid, or the handshake failed',
  forbidden_address: 'The host leads to an address that webhooks may not reach',
  invalid_url: 'The URL is not valid',
};

/** Throws if the secret cannot be opened. */
export function createSender(options: SenderOptions, webhook: ClaimedWebhook): Sender {
  const { clock, access, openSecret } = options;
  const { url, isInner, watcherId, secret, previousSecret, previousSecretUntil } = webhook;
  const outbound = access.outbound({ url, isInner });
  const current = openSecret(secret, watcherId);
  const previous = previousSecret === null ? null : openSecret(previousSecret, watcherId);
  const secretsAt = (now: number) =>
    previous === null || now >= (previousSecretUntil ?? 0) ? [current] : [current, previous];
  return {
    async send({ id, json }, signal) {
      const at = clock.now();
      const startedAt = clock.monotonic();
      const timestamp = Math.floor(at / 1000);
      const body = Buffer.from(json);
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': USER_AGENT,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': formatSignatures(secretsAt(at), { id, timestamp, body }),
      };
      const post = { url, headers, body, deadlineMs: POST_TIMEOUT, maxBytes: RESPONSE_BYTES, signal };
      const answer = await outbound.post(post).catch((error: OutboundFailure) => error);
      const latency = clock.monotonic() - startedAt;
      return answer instanceof Error
        ? unanswered(answer, { at, latency })
        : answered(answer, { at, latency }, isInner);
    },
  };
}

type Timing = Pick<Attempt, 'at' | 'latency'>;

function unanswered(failure: OutboundFailure, timing: Timing): Attempt {
  if (failure.kind === 'aborted') throw failure;
  const error = FAULTS[failure.kind];
  return { ...timing, isSuccess: false, httpStatus: null, response: null, error, retryAfter: null };
}

function answered({ status, headers, body }: PostAnswer, timing: Timing, isInner: boolean): Attempt {
  const isSuccess = status >= 200 && status < 300;
  return {
    ...timing,
    isSuccess,
    httpStatus: status,
    // What is in an inner network is not shown to people outside.
    response: isInner ? null : printable(body),
    error: isSuccess
      ? null
      : `The answer was ${status}${status >= 300 && status < 400 ? ': redirects are not followed' : ''}`,
    retryAfter: isSuccess ? null : parseRetryAfter(headers['retry-after'], timing.at + timing.latency),
  };
}

/** Text that PostgreSQL takes, without half a character at its end. */
const printable = (body: Buffer): string =>
  body
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/\ufffd$/, '');

interface Message {
  readonly id: string;
  /** Seconds since the epoch: of the attempt. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/** The header `webhook-signature`: one signature for each secret, separated by spaces. */
function formatSignatures(secrets: readonly Uint8Array[], message: Message): string {
  return secrets.map((secret) => `v1,${sign(secret, message)}`).join(' ');
}

function sign(secret: Uint8Array, { id, timestamp, body }: Message): string {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64');
}
