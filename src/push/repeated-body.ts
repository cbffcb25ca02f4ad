// Large bodies that are repeated with their Idempotency-Key: read whole to be recognized, and answered as the first time.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  ANSWER_LIFETIME,
  idempotentRequest,
  keyReused,
  keyUnderWay,
} from '../access/idempotency/answer-once.ts';
import { findAnswer, insertAnswer, lockKey } from '../access/idempotency/answer-store.ts';
import { PUSH } from '../access/tiers/tiers.ts';
import { readBody } from '../http/input/body-stream.ts';
import { Bulkhead, BulkheadFull } from '../lib/bulkhead.ts';
import { Problem } from '../lib/problem.ts';
import type { PushContext } from './push-parts.ts';

interface LargeRequest {
  readonly call: {
    readonly headers: IncomingHttpHeaders;
    readonly url: string;
    readonly signal: AbortSignal;
  };
  readonly request: IncomingMessage;
  readonly isDryRun: boolean;
}

/** The answer to a large body. */
export interface ManyAnswers {
  readonly lines: readonly string[];
  /** Whether it stands for the whole body. One that broke off, or that is to be sent again in part, has no answer to keep. */
  readonly isFinal: boolean;
}

/** Does the work with a body, whose chunks it hands over. */
type Work = (onChunk: (chunk: Buffer) => void) => Promise<ManyAnswers>;

/** Large bodies that a process reads at once, and of one source: each holds its answer in memory. */
const MAX_BODIES = 4;
const MAX_OF_SOURCE = 2;
const bodies = new Bulkhead({ maxConcurrent: MAX_BODIES, maxQueue: 0 });
const bodiesOf = new Map<string, number>();

/**
 * Does the work once for each Idempotency-Key; returns the lines of the answer. A process that dies in between leaves no answer: the work is then done again,
 * which changes nothing that it had done. Throws OVERLOADED, CONFLICT while another request with the key is under way, and
 * IDEMPOTENCY_KEY_REUSED.
 */
export async function answerManyOnce(
  context: PushContext,
  { call, request, isDryRun }: LargeRequest,
  work: Work,
): Promise<readonly string[]> {
  const { key } = idempotentRequest('', call.headers, null);
  const source = context.sender.id;
  const own = bodiesOf.get(source) ?? 0;
  if (own >= MAX_OF_SOURCE) throw tooManyBodies('The source sends too many large bodies at once.');
  bodiesOf.set(source, own + 1);
  try {
    // A client that leaves does not stop what is written: the rest of its transactions end by themselves.
    return await bodies.run(new AbortController().signal, () =>
      key === null || isDryRun
        ? work(() => {}).then(({ lines }) => lines)
        : answerByKey(context, { call, request, key }, work),
    );
  } catch (error) {
    if (!(error instanceof BulkheadFull)) throw error;
    throw tooManyBodies('Too many large bodies are being read at the moment.');
  } finally {
    const left = (bodiesOf.get(source) ?? 1) - 1;
    if (left > 0) bodiesOf.set(source, left);
    else bodiesOf.delete(source);
  }
}

const tooManyBodies = (detail: string): Problem =>
  new Problem('OVERLOADED', `${detail} Send it again in a second.`, {
    headers: { 'retry-after': '1', connection: 'close' },
  });

async function answerByKey(
  { database, clock, sender }: PushContext,
  { call, request, key }: Pick<LargeRequest, 'call' | 'request'> & { readonly key: string },
  work: Work,
): Promise<readonly string[]> {
  const owned = { owner: `source:${sender.id}`, key };
  const guard = database.dedicated();
  try {
    // Held by the session, for as long as the body takes.
    if (!(await lockKey(guard.sql, owned))) throw keyUnderWay();
    const since = new Date(clock.now() - ANSWER_LIFETIME);
    const earlier = await database.read((sql) => findAnswer(sql, owned, since));
    const hash = createHash('sha256').update(`POST ${call.url}\n`);
    if (earlier !== null) {
      for await (const chunk of readBody(request, { clock, maxBytes: PUSH.bodyBytes })) hash.update(chunk);
      if (hash.digest('hex') !== earlier.bodyHash) throw keyReused();
      return earlier.body.split('\n');
    }
    const { lines, isFinal } = await work((chunk) => hash.update(chunk));
    if (!isFinal) return lines;
    const answer = { status: 200, headers: {}, body: lines.join('\n'), sealedBody: null };
    const bodyHash = hash.digest('hex');
    await database.transaction((tx) =>
      insertAnswer(tx, owned, { ...answer, bodyHash }, new Date(clock.now())),
    );
    return lines;
  } finally {
    await guard.end(1);
  }
}
