// One pushed listing: written whole, changed by a merge patch, ended, and read as it is stored.

import type { IncomingHttpHeaders } from 'node:http';
import {
  answerOnce,
  findEarlierAnswer,
  type IdempotentRequest,
  idempotentRequest,
  NO_SECRETS,
} from '../access/idempotency/answer-once.ts';
import type { Answer } from '../access/idempotency/answer-store.ts';
import { conditional, isKnown, isMatched } from '../http/output/etag.ts';
import type { Headers, Reply } from '../http/output/reply.ts';
import { Problem } from '../lib/problem.ts';
import type { Status } from '../listings/vocabulary.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { etagOf } from './entity-tag.ts';
import { mergePatch } from './merge-patch.ts';
import type { Order } from './order.ts';
import { type PushContext, runTransaction } from './push-parts.ts';
import { findPush, holdToken, writeFaults } from './push-store.ts';
import { RecordFault } from './record-reader.ts';
import {
  endMessage,
  type Message,
  notStored,
  type PushResult,
  type Request,
  writeMessages,
} from './write-messages.ts';

/** A request that changes one listing. */
export interface OneRequest {
  readonly key: string;
  readonly headers: IncomingHttpHeaders;
  /** Method, path and query, which an Idempotency-Key stands for as well as the body. */
  readonly target: string;
  readonly body: unknown;
  readonly isDryRun: boolean;
}

/** Milliseconds for a transaction that waits for other messages about the same listing. */
const TIMEOUT = 10_000;

export function putListing(context: PushContext, request: OneRequest): Promise<Reply> {
  return change(context, request, {
    read: () => context.read(request.body, request.key, context.clock.now()),
  });
}

/** Applies a JSON Merge Patch (RFC 7396) to the record as it was sent. */
export function patchListing(context: PushContext, request: OneRequest): Promise<Reply> {
  return change(context, request, {
    read({ document }) {
      if (document === null) throw notStored();
      return context.read(mergePatch(document, request.body), request.key, context.clock.now());
    },
  });
}

export function endListing(
  context: PushContext,
  request: OneRequest,
  { status, order }: { readonly status: Status; readonly order: Order | null },
): Promise<Reply> {
  return change(context, request, { endedAs: status, read: () => endMessage(order) });
}

interface Change {
  readonly read: (stored: Parameters<Request['read']>[0]) => Message;
  readonly endedAs?: Status;
}

async function change(context: PushContext, request: OneRequest, { read, endedAs }: Change): Promise<Reply> {
  const { database, clock, sender, count, pushLimit, untilSearched } = context;
  const { key, headers, isDryRun } = request;
  const size = Number(headers['content-length'] ?? Buffer.byteLength(JSON.stringify(request.body ?? null)));
  const refusal = pushLimit.takeRecord(sender.id, size);
  if (refusal !== null) throw refusal;
  const answers = { database, clock, sealing: NO_SECRETS };
  const idempotent = idempotentOf(sender.id, request);
  const earlier = await findEarlierAnswer(answers, idempotent);
  if (earlier !== null) return replyOf(earlier);
  const work = async (tx: Transaction): Promise<Answer> => {
    const options = { ...context, now: clock.now(), ...(endedAs !== undefined && { endedAs }) };
    const result = (await writeMessages(tx, options, [{ key, read }])).get(key);
    if (result === undefined) throw new Error('A message has no result');
    if (result instanceof Problem) throw result;
    requireMatch(result, headers);
    if (endedAs !== undefined) requireOpen(result);
    return answerOf(context, key, result, isDryRun);
  };
  try {
    const answer = isDryRun
      ? await runTransaction(database, { timeout: TIMEOUT, isDryRun }, work)
      : await answerOnce(answers, idempotent, work);
    const { result } = JSON.parse(answer.body) as { result: string };
    if (!isDryRun) count(result);
    if (!isDryRun && result !== 'unchanged' && result !== 'superseded') await untilSearched();
    return replyOf(answer);
  } catch (error) {
    if (error instanceof Problem && error.status < 500) count('rejected');
    if (error instanceof RecordFault && !isDryRun) await noteFault(context, key, error);
    throw error;
  }
}

/** Another method, path or condition with the same key is another request. */
function idempotentOf(source: string, { headers, target, body, isDryRun }: OneRequest): IdempotentRequest {
  const { 'if-match': ifMatch = null, 'if-none-match': ifNoneMatch = null } = headers;
  const request = idempotentRequest(`source:${source}`, headers, { target, ifMatch, ifNoneMatch, body });
  return isDryRun ? { ...request, key: null } : request;
}

/** Throws PRECONDITION_FAILED, which undoes what was written. */
function requireMatch(
  { previous }: PushResult,
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
): void {
  const isMet = ifMatch === undefined || (previous !== null && isMatched(ifMatch, previous.etag));
  const isNew = ifNoneMatch === undefined || previous === null || !isKnown(ifNoneMatch, previous.etag);
  if (isMet && isNew) return;
  throw new Problem(
    'PRECONDITION_FAILED',
    isMet
      ? 'The listing is stored already, and If-None-Match wants it not to be.'
      : 'The listing is not at the version in If-Match. Read it again, then send the change with its new ETag.',
  );
}

/** Throws CONFLICT for a sale, which undoes what was written: figures of the market are made of it. */
function requireOpen({ previous, result, status }: PushResult): void {
  if (previous?.status !== 'CLOSED' || result !== 'ended' || status === 'DELETED') return;
  throw new Problem(
    'CONFLICT',
    'The listing is CLOSED, and a sale that is over is not withdrawn. If it was reported wrongly, PATCH its status.',
  );
}

function answerOf(
  { sender, publicUrl }: PushContext,
  key: string,
  { result, id, version, status, etag }: PushResult,
  isDryRun: boolean,
): Answer {
  const isCreated = result === 'created' && !isDryRun;
  const location = `${publicUrl}/v1/sources/${sender.id}/listings/${encodeURIComponent(key)}`;
  return {
    status: isCreated ? 201 : 200,
    headers: { ...(etag !== null && !isDryRun && { etag }), ...(isCreated && { location }) },
    body: JSON.stringify({ object: 'push_result', key, result, id, version, status, dryRun: isDryRun }),
    isSecret: false,
  };
}

const replyOf = ({ status, headers, body }: Answer): Reply => ({
  status,
  headers: { ...(headers as Headers), 'content-type': 'application/json; charset=utf-8' },
  text: body,
});

/** Notes why a record was refused, for `GET` of the listing. It is worth no second refusal. */
async function noteFault(
  { database, clock, sender }: PushContext,
  key: string,
  { errors }: RecordFault,
): Promise<void> {
  const note = async (tx: Transaction): Promise<void> => {
    if (await holdToken(tx, sender.id, sender.token))
      await writeFaults(tx, sender.id, [{ key, errors }], new Date(clock.now()));
  };
  await database.transaction(note).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
}

/** The listing as it is stored, with what was wrong with the last record that was refused since. */
export async function readListing(
  { database, sender }: PushContext,
  key: string,
  headers: IncomingHttpHeaders,
): Promise<Reply> {
  const stored = await database.read((sql) => findPush(sql, sender.id, key));
  if (stored === null) throw notStored();
  const { id, propertyId, version, status, document, digest, order, receivedAt, faults, refusedAt } = stored;
  const json = {
    object: 'pushed_listing',
    source: sender.id,
    key,
    id,
    propertyId,
    version,
    status,
    sequence: order?.kind === 'sequence' ? order.value : null,
    modifiedAt: order?.kind === 'modifiedAt' ? order.value : null,
    receivedAt,
    record: document,
    faults: faults ?? [],
    refusedAt,
  };
  // Faults come without a message that counts, so that the tag does not say them: one that was refused is read whole each time.
  if (version === null || faults !== null) return { json };
  return conditional(headers, etagOf(version, { digest, order, receivedAt }), { json });
}
