// Idempotent requests: a request that is repeated with its Idempotency-Key gets the answer of the first one.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, DAY } from '../../lib/clock.ts';
import { hasCredential } from '../../lib/log.ts';
import { invalidParameter, Problem } from '../../lib/problem.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { type Answer, findAnswer, insertAnswer, type StoredAnswer, tryReserveKey } from './answer-store.ts';

/** Milliseconds for which an answer is kept. */
export const ANSWER_LIFETIME = DAY;

/** Milliseconds for a transaction that waits for others of the same owner. */
const TIMEOUT = 10_000;

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Seals answers that show secrets, each to its context, and opens them. Throws where that is not possible. */
export interface AnswerSealing {
  seal(body: Buffer, context: string): Buffer;
  open(sealed: Buffer, context: string): Buffer;
}

export interface IdempotencyOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly sealing: AnswerSealing;
}

/** Of answers without secrets. */
export const NO_SECRETS: AnswerSealing = {
  seal: () => {
    throw new Error('An answer without secrets needs no seal');
  },
  open: () => {
    throw new Error('An answer without secrets is not sealed');
  },
};

export interface IdempotentRequest {
  readonly owner: string;
  /** Null: the request has none, and is done each time it is sent. */
  readonly key: string | null;
  /** In hexadecimal. */
  readonly bodyHash: string;
}

/** The request's key and what it asks for. Throws INVALID_PARAMETER for a malformed key. */
export function idempotentRequest(
  owner: string,
  headers: IncomingHttpHeaders,
  body: unknown,
): IdempotentRequest {
  const { 'idempotency-key': sent } = headers;
  const key = sent === undefined ? null : String(sent);
  if (key !== null && !KEY.test(key))
    throw invalidParameter(
      'Idempotency-Key',
      'must have 1 to 255 visible ASCII characters, such as a UUID; send each request a key of its own',
    );
  if (key !== null && hasCredential(key))
    throw invalidParameter('Idempotency-Key', 'must not contain a credential; send a UUID');
  return { owner, key, bodyHash: hash('sha256', canonicalJson(body), 'hex') };
}

/** The answer that was given to this request before; null: none. Throws IDEMPOTENCY_KEY_REUSED if it asked for something else. */
export async function findEarlierAnswer(
  { database, clock, sealing }: IdempotencyOptions,
  request: IdempotentRequest,
): Promise<Answer | null> {
  const { owner, key } = request;
  if (key === null) return null;
  const since = new Date(clock.now() - ANSWER_LIFETIME);
  const stored = await database.read((sql) => findAnswer(sql, { owner, key }, since));
  return sameRequest(sealing, request, stored);
}

/**
 * Does the work once: in one transaction with its answer, so that a process that dies in between leaves neither. Throws
 * CONFLICT while another request with the key is under way, and IDEMPOTENCY_KEY_REUSED as above.
 */
export function answerOnce(
  { database, clock, sealing }: IdempotencyOptions,
  request: IdempotentRequest,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const { owner, key, bodyHash } = request;
  if (key === null) return database.transaction(work, { timeout: TIMEOUT });
  const now = clock.now();
  return database.transaction(
    async (tx) => {
      if (!(await tryReserveKey(tx, { owner, key }))) throw keyUnderWay();
      const since = new Date(now - ANSWER_LIFETIME);
      const earlier = sameRequest(sealing, request, await findAnswer(tx, { owner, key }, since));
      if (earlier !== null) return earlier;
      const answer = await work(tx);
      const stored = storedForm(sealing, request, answer);
      await insertAnswer(tx, { owner, key }, { ...answer, ...stored, bodyHash }, new Date(now));
      return answer;
    },
    { timeout: TIMEOUT },
  );
}

/** The stored answer, opened. Throws what opening a seal does. */
function sameRequest(
  sealing: AnswerSealing,
  request: IdempotentRequest,
  stored: StoredAnswer | null,
): Answer | null {
  if (stored === null) return null;
  if (stored.bodyHash !== request.bodyHash) throw keyReused();
  const { sealedBody, bodyHash: _, ...answer } = stored;
  if (sealedBody === null) return { ...answer, isSecret: false };
  const body = sealing.open(sealedBody, contextOf(request));
  return { ...answer, body: String(body), isSecret: true };
}

/** A body that shows a secret is stored sealed. */
function storedForm(
  sealing: AnswerSealing,
  request: IdempotentRequest,
  { body, isSecret }: Answer,
): Pick<StoredAnswer, 'body' | 'sealedBody'> {
  if (!isSecret) return { body, sealedBody: null };
  return { body: '', sealedBody: sealing.seal(Buffer.from(body), contextOf(request)) };
}

const contextOf = ({ owner, key }: IdempotentRequest): string => `answer ${owner} ${key}`;

export const keyReused = (): Problem =>
  new Problem(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was sent with another body. Send the same body, or a new key for a new request.',
  );

export const keyUnderWay = (): Problem =>
  new Problem(
    'CONFLICT',
    'A request with this Idempotency-Key is under way. Send it again in a second to get its answer.',
    { headers: { 'retry-after': '1' } },
  );

/** JSON with the members of every object in one order: the same value is the same text. */
export function canonicalJson(value: unknown = null): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
