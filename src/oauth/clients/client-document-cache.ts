// Clients described by a document at their id: fetched, cached in memory and in the database, shared by all.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import type { Outbound } from '../../lib/outbound.ts';
import { type FailureKind, OutboundFailure } from '../../lib/outbound-failure.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Client } from './client.ts';
import {
  ClientDocumentError,
  documentLifetime,
  MAX_DOCUMENT,
  parseClientDocument,
  parseClientIdUrl,
} from './client-document.ts';
import { type DocumentRow, findDocument, saveDocument, sweepDocuments } from './client-store.ts';
import { DocumentThrottle, type FetchLimits } from './document-throttle.ts';

/** Milliseconds for everything, from resolving the name to the last byte. */
const TIMEOUT = 5_000;
const MAX_CACHED = 1_000;
const SWEEP_PAUSE = 300_000;
/** Milliseconds for which a copy proves that the document was good once. */
const STORED_FOR = 30 * 86_400_000;
const MAX_STORED = 20_000;

export interface ClientDocumentsOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Guarded: it must connect to public addresses only. */
  readonly outbound: Outbound;
  /** Told of failures that no client hears of. */
  readonly report: (error: unknown) => void;
  readonly bounds?: Partial<FetchLimits>;
}

export interface ClientDocuments {
  /**
   * The client that describes itself at this address. Throws ClientDocumentRefusal.
   *
   * @param url the client_id, as it came
   * @param asker the address of whoever wants to know; fetches are counted against it
   */
  find(url: string, asker: string, signal?: AbortSignal): Promise<Client>;
  /** Resolves when nothing is being cleared away any more. */
  close(): Promise<void>;
}

/** A client and the time, in Unix milliseconds, within which it may be used. */
interface Copy {
  readonly client: Client;
  readonly from: number;
  readonly until: number;
}

export function createClientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  const { database, clock, outbound, report } = options;
  const cache = new LRUCache<string, Copy>({ max: MAX_CACHED });
  const flights = new SingleFlight<Copy>();
  const throttle = new DocumentThrottle(clock, options.bounds);
  const stopSweeping = sweepOften(options);

  async function load(url: URL, asker: string, signal: AbortSignal): Promise<Copy> {
    const row = await database.read((sql) => findDocument(sql, url.href));
    const shared = row && copyOf(row, url);
    if (shared !== undefined && isFresh(shared, clock.now())) return shared;
    const fetch = { address: asker, host: url.host, known: row !== undefined };
    const copy = await throttle.run(fetch, () => download(outbound, url, clock, signal));
    // A copy that cannot be kept is fetched again by others; this asker has what was wanted.
    await database.write((sql) => saveDocument(sql, rowOf(copy))).catch(report);
    return copy;
  }

  return {
    async find(text, asker, signal) {
      const url = parseClientIdUrl(text);
      const known = cache.get(url.href);
      if (known !== undefined && isFresh(known, clock.now())) return known.client;
      const copy = await flights.run(url.href, signal ?? null, (leaving) => load(url, asker, leaving));
      cache.set(url.href, copy);
      return copy.client;
    },
    close: stopSweeping,
  };
}

/** Also not before its time: a clock that was set back would otherwise prolong it. */
function isFresh({ from, until }: Copy, now: number): boolean {
  return from <= now && now < until;
}

async function download(outbound: Outbound, url: URL, clock: Clock, signal: AbortSignal): Promise<Copy> {
  const request = { url, deadlineMs: TIMEOUT, maxBytes: MAX_DOCUMENT, signal };
  const answer = await outbound
    .send({ ...request, headers: { accept: 'application/json', 'user-agent': 'Freehold' } })
    .catch((error: unknown) => {
      if (error instanceof OutboundFailure && error.kind !== 'aborted') throw unreachable(url, error);
      throw error;
    });
  const from = clock.now();
  return {
    client: parseClientDocument(url, answer),
    from,
    until: from + documentLifetime(answer.headers, from),
  };
}

/** One word for names without an address and names of private networks: nobody can sound out the latter. */
const NOWHERE = 'its host has no address on the public Internet';

const FAULTS: Readonly<Record<FailureKind, string>> = {
  timeout: `it sent no complete response within ${TIMEOUT / 1000} seconds`,
  refused: 'its host accepts no connection there',
  reset: 'its host closed the connection',
  unresolved: NOWHERE,
  forbidden_address: NOWHERE,
  too_large: `it is larger than ${MAX_DOCUMENT / 1024} KB`,
  malformed: 'the response is not valid HTTP',
  tls: 'the certificate of its host is not valid for it',
  invalid_url: 'the URL cannot be requested',
  aborted: 'nobody waited for it',
};

function unreachable(url: URL, failure: OutboundFailure): ClientDocumentError {
  const message = `The document at ${url.href} could not be fetched: ${FAULTS[failure.kind]}.`;
  return new ClientDocumentError('unreachable', message, { cause: failure });
}

function copyOf(row: DocumentRow, url: URL): Copy {
  const { name, redirectUris, fetchedAt, freshUntil } = row;
  const client: Client = { kind: 'document', id: url.href, name, redirectUris };
  return { client, from: Date.parse(fetchedAt), until: Date.parse(freshUntil) };
}

function rowOf({ client, from, until }: Copy): DocumentRow<Date> {
  const { id: url, name, redirectUris } = client;
  return { url, name, redirectUris, fetchedAt: new Date(from), freshUntil: new Date(until) };
}

/** Clears away, now and then, what was not fetched again for long, and the oldest of too many. */
function sweepOften({ database, clock, report }: ClientDocumentsOptions): () => Promise<void> {
  let sweeping = Promise.resolve();
  let stopped = false;
  let cancel = clock.after(SWEEP_PAUSE, begin);
  function begin(): void {
    sweeping = sweep().catch(report);
  }
  async function sweep(): Promise<void> {
    const before = new Date(clock.now() - STORED_FOR);
    await database
      .write((sql) => sweepDocuments(sql, before, MAX_STORED), { timeout: 60_000 })
      .finally(() => {
        if (!stopped) cancel = clock.after(SWEEP_PAUSE, begin);
      });
  }
  return () => {
    stopped = true;
    cancel();
    return sweeping;
  };
}
