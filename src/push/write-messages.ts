// Messages about listings of one source, written together: each is judged by its order, and one that is refused stops no other.

import { hash } from 'node:crypto';
import { canonicalJson } from '../access/idempotency/answer-once.ts';
import { listingId } from '../ingest/identity.ts';
import type { Catalogue, ListingOutcome } from '../ingest/listing-writer.ts';
import { Problem } from '../lib/problem.ts';
import { eventLoop } from '../lib/scheduler.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { Status } from '../listings/vocabulary.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { etagOf } from './entity-tag.ts';
import { isNewerThan, type Order, standingOf } from './order.ts';
import {
  type CountedMessage,
  findStates,
  forgetDocuments,
  holdToken,
  lockMessages,
  type StoredMessage,
  writeMessages as storeMessages,
} from './push-store.ts';
import { RecordFault } from './record-reader.ts';

/** Who pushes: a source, and the id of the token. */
export interface Sender {
  readonly id: string;
  readonly token: string;
}

/** What a message wants of its listing: to be as in a draft, or to end. */
export type Message = { readonly order: Order | null } & (
  | { readonly draft: ListingDraft; readonly document: Record<string, unknown> }
  | { readonly draft: null; readonly document: null }
);

/** A message about one listing. */
export interface Request {
  readonly key: string;
  /** The message, given the last one about the listing that counted. Throws a Problem that refuses it. */
  read(stored: StoredMessage): Message;
  /** It is newer than any message, and has no place in their order: the last one keeps its own. */
  readonly isUnordered?: boolean;
}

export interface PushResult {
  readonly result: 'created' | 'changed' | 'unchanged' | 'superseded' | 'ended';
  readonly id: string;
  /** The listing's version and status now; null: it is not stored, as only its end was sent so far. */
  readonly version: number | null;
  readonly status: Status | null;
  /** The entity tag of the listing now; null where `version` is. */
  readonly etag: string | null;
  /** Before; null: it was not stored. */
  readonly previous: { readonly status: Status; readonly etag: string } | null;
}

/** The message that ends a listing. */
export const endMessage = (order: Order | null): Message => ({ draft: null, document: null, order });

export interface WriteOptions {
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly sender: Sender;
  /** The status of listings that end. */
  readonly endedAs?: Status;
  /** Statuses of listings that messages are about, where not all: others stay as they are, and have no result. */
  readonly onlyIn?: readonly Status[];
  /** Whether records are in field names of the sender. */
  readonly isMapped: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Accepted {
  readonly key: string;
  readonly message: Message;
  readonly digest: Buffer;
  /** The last message before. */
  readonly before: StoredMessage;
}

/**
 * Writes messages about different listings in the given transaction, which calls this once. Returns the result of each, or the
 * problem that refuses it, by its key. Throws INVALID_TOKEN where the token has ended meanwhile.
 */
export async function writeMessages(
  tx: Transaction,
  { catalogue, sender, endedAs = 'WITHDRAWN', onlyIn, isMapped, now }: WriteOptions,
  all: readonly Request[],
): Promise<Map<string, PushResult | Problem>> {
  const source = sender.id;
  if (!(await holdToken(tx, source, sender.token))) throw tokenEnded();
  const stored = await lockMessages(
    tx,
    source,
    all.map(({ key }) => key),
  );
  const requests = onlyIn === undefined ? all : await requestsIn(tx, source, all, onlyIn);
  const { accepted, passed, results } = await judge(requests, stored, endedAs);
  const drafts = accepted.flatMap(({ message }) => (message.draft === null ? [] : [message.draft]));
  const ended = accepted.filter(({ message }) => message.draft === null).map(({ key }) => key);
  if (accepted.length > 0) {
    const { outcomes } = await catalogue.write(tx, source, drafts, now, ended, false, endedAs);
    const counted: CountedMessage[] = [];
    for (const each of accepted) {
      const id = listingId(source, each.key);
      const outcome = outcomes.get(id);
      // An end that overtook its listing counts where it has a place in the order: what is older comes too late.
      const isEarlyEnd = outcome === undefined && each.message.order !== null;
      const isCounted = isEarlyEnd || (outcome !== undefined && outcome.result !== 'older');
      if (isCounted) counted.push(countedOf(each, endedAs));
      const messages = { before: each.before, after: isCounted ? afterCounting(each, now) : each.before };
      if (outcome !== undefined) results.set(each.key, resultOf(id, outcome, messages));
      else results.set(each.key, isEarlyEnd ? absent('ended', id) : notStored());
    }
    await storeMessages(tx, source, counted, new Date(now));
    const forgotten = [...(isMapped || endedAs === 'DELETED' ? ended : []), ...lostAmong(accepted, counted)];
    if (forgotten.length > 0) await forgetDocuments(tx, source, forgotten);
  }
  await addPassed(tx, source, passed, { stored, results });
  return results;
}

/** Keys of messages that counted, by whose records listings may no longer be shown. */
function lostAmong(accepted: readonly Accepted[], counted: readonly CountedMessage[]): string[] {
  const keys = new Set(counted.map(({ key }) => key));
  return accepted.flatMap(({ key, message }) =>
    message.draft?.status === 'DELETED' && keys.has(key) ? [key] : [],
  );
}

/** Those of these requests whose listings have such a status, which stays while they are locked. */
async function requestsIn(
  tx: Transaction,
  source: string,
  requests: readonly Request[],
  statuses: readonly Status[],
): Promise<Request[]> {
  const ids = requests.map(({ key }) => listingId(source, key));
  const states = await findStates(tx, ids);
  return requests.filter((_, at) => {
    const state = states.get(ids[at] ?? '');
    return state !== undefined && statuses.includes(state.status);
  });
}

interface Judged {
  readonly accepted: Accepted[];
  /** Those that change nothing, since a newer message or the same one counted already. */
  readonly passed: { readonly key: string; readonly result: 'superseded' | 'unchanged' }[];
  readonly results: Map<string, PushResult | Problem>;
}

async function judge(
  requests: readonly Request[],
  stored: ReadonlyMap<string, StoredMessage>,
  endedAs: Status,
): Promise<Judged> {
  const judged: Judged = { accepted: [], passed: [], results: new Map() };
  await eventLoop.forEach(requests, ({ key, read, isUnordered }) => {
    const last = stored.get(key);
    if (last === undefined) throw new Error(`The listing ${key} was not locked`);
    try {
      const message = readUnlessLate(read, last);
      if (message === 'late') {
        judged.passed.push({ key, result: 'superseded' });
        return;
      }
      const own = digestOf(message, endedAs);
      // The last message, sent again, must still be known as repeated.
      const digest = isUnordered ? (last.digest ?? own) : own;
      const standing = isUnordered ? 'newer' : standingOf(last, message.order, digest);
      if (standing === 'newer') judged.accepted.push({ key, message, digest, before: last });
      else judged.passed.push({ key, result: standing === 'late' ? 'superseded' : 'unchanged' });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      judged.results.set(key, error);
    }
  });
  return judged;
}

/** A message that is late says nothing that counts, whatever is wrong with it. */
function readUnlessLate(read: Request['read'], last: StoredMessage): Message | 'late' {
  try {
    return read(last);
  } catch (error) {
    const isLate =
      error instanceof RecordFault &&
      last.order?.kind === error.order?.kind &&
      isNewerThan(last.order, error.order);
    if (isLate) return 'late';
    throw error;
  }
}

/** What a message says, whatever the order of its members. */
function digestOf({ document }: Message, endedAs: Status): Buffer {
  return hash('sha256', document === null ? `end ${endedAs}` : canonicalJson(document), 'buffer');
}

/** The last message about a listing, once this one counts. */
const afterCounting = ({ before, digest, message }: Accepted, now: number): StoredMessage => ({
  ...before,
  digest,
  order: message.order ?? before.order,
  receivedAt: new Date(now).toISOString(),
});

const countedOf = ({ key, message, digest }: Accepted, endedAs: Status): CountedMessage => ({
  key,
  document: message.document,
  status: message.document === null ? endedAs : null,
  digest,
  order: message.order,
});

function resultOf(
  id: string,
  { result, previous, version, status }: ListingOutcome,
  messages: { readonly before: StoredMessage; readonly after: StoredMessage },
): PushResult {
  const names = { older: 'superseded', removed: 'ended' } as const;
  return {
    result: result === 'older' || result === 'removed' ? names[result] : result,
    id,
    version,
    status,
    etag: etagOf(version, messages.after),
    previous: previous && { status: previous.status, etag: etagOf(previous.version, messages.before) },
  };
}

/** Adds results of messages that change nothing: the listing as it is. */
async function addPassed(
  tx: Transaction,
  source: string,
  passed: Judged['passed'],
  {
    stored,
    results,
  }: { readonly stored: ReadonlyMap<string, StoredMessage>; readonly results: Judged['results'] },
): Promise<void> {
  const states = await findStates(
    tx,
    passed.map(({ key }) => listingId(source, key)),
  );
  for (const { key, result } of passed) {
    const id = listingId(source, key);
    const [state, message] = [states.get(id), stored.get(key)];
    if (state === undefined || message === undefined) {
      results.set(key, absent(result, id));
      continue;
    }
    const { version, status } = state;
    const etag = etagOf(version, message);
    results.set(key, { result, id, version, status, etag, previous: { status, etag } });
  }
}

/** The result of a message about a listing that is not stored. */
const absent = (result: PushResult['result'], id: string): PushResult => ({
  result,
  id,
  version: null,
  status: null,
  etag: null,
  previous: null,
});

export const notStored = (): Problem =>
  new Problem('LISTING_NOT_FOUND', 'The source has no listing with this key. PUT it whole first.');

export const tokenEnded = (): Problem =>
  new Problem(
    'INVALID_TOKEN',
    'The token of the source has ended. The operator makes a new one: freehold sources token.',
  );
