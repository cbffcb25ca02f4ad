// Cache of client metadata documents: fetched once for all who need them, kept in memory and in the database.

import { LRUCache } from 'lru-cache';
import type { Outbound } from '../../lib/outbound.ts';
import { type FailureKind, OutboundFailure } from '../../lib/outbound-failure.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import type { OAuthContext } from '../protocol/context.ts';
import type { Client } from './client.ts';
import {
  ClientDocumentError,
  documentLifetime,
  MAX_DOCUMENT,
  parseClientDocument,
  parseClientIdUrl,
} from './client-document.ts';
import { type CachedDocument, findDocument, saveDocument } from './client-store.ts';
import { createDocumentThrottle, type FetchLimits } from './document-throttle.ts';

/** Milliseconds for everything, from resolving the name to the last byte. */
const TIMEOUT = 5_000;
const MAX_CACHED = 1_000;

/**
 * Finds the client that a document describes. Throws ClientDocumentError.
 *
 * @param clientId the URL of the document, unchecked
 * @param address the client address that the fetch counts against
 */
export type FindDocument = (clientId: string, address: string, signal?: AbortSignal) => Promise<Client>;

export interface DocumentFinderOptions
  extends Pick<OAuthContext, 'database' | 'clock' | 'counting' | 'report'> {
  /** Guarded: it must connect to public addresses only. */
  readonly outbound: Outbound;
  readonly fetchLimits?: Partial<FetchLimits>;
}

export function createDocumentFinder(options: DocumentFinderOptions): FindDocument {
  const { database, clock, outbound, report } = options;
  const cache = new LRUCache<string, CachedDocument>({ max: MAX_CACHED });
  const flights = new SingleFlight<CachedDocument>();
  const throttle = createDocumentThrottle(options, options.fetchLimits);

  /** Not before its time either: a clock that was set back would otherwise prolong it. */
  function isFresh({ fetchedAt, freshUntil }: CachedDocument): boolean {
    const now = clock.now();
    return fetchedAt <= now && now < freshUntil;
  }

  async function load(url: URL, address: string, signal: AbortSignal): Promise<CachedDocument> {
    const stored = await database.read((sql) => findDocument(sql, url.href));
    if (stored !== undefined && isFresh(stored)) return stored;
    const fetch = { address, host: url.host, wasValid: stored !== undefined };
    const document = await throttle.run(fetch, () => download(url, signal));
    // Without a stored copy other processes fetch the document again; this request has what it needs.
    await database.write((sql) => saveDocument(sql, document)).catch(report);
    return document;
  }

  async function download(url: URL, signal: AbortSignal): Promise<CachedDocument> {
    const headers = { accept: 'application/json', 'user-agent': 'Freehold' };
    const request = { url, headers, deadlineMs: TIMEOUT, maxBytes: MAX_DOCUMENT, signal };
    const answer = await outbound.send(request).catch((error: unknown) => {
      if (!(error instanceof OutboundFailure) || error.kind === 'aborted') throw error;
      const message = `The document at ${url.href} could not be fetched: ${FAULTS[error.kind]}.`;
      throw new ClientDocumentError('unreachable', message, { cause: error });
    });
    const fetchedAt = clock.now();
    const freshUntil = fetchedAt + documentLifetime(answer.headers, fetchedAt);
    return { client: parseClientDocument(url, answer), fetchedAt, freshUntil };
  }

  return async (clientId, address, signal) => {
    const url = parseClientIdUrl(clientId);
    const cached = cache.get(url.href);
    if (cached !== undefined && isFresh(cached)) return cached.client;
    const document = await flights.run(url.href, signal ?? null, (shared) => load(url, address, shared));
    cache.set(url.href, document);
    return document.client;
  };
}

/** The same for names without an address and names of private networks, so that nobody can probe for the latter. */
const NO_PUBLIC_ADDRESS = 'its host has no address on the public Internet';

const FAULTS: Readonly<Record<Exclude<FailureKind, 'aborted'>, string>> = {
  timeout: `it sent no complete response within ${TIMEOUT / 1000} seconds`,
  refused: 'its host accepts no connection there',
  reset: 'its host closed the connection',
  unresolved: NO_PUBLIC_ADDRESS,
  forbidden_address: NO_PUBLIC_ADDRESS,
  too_large: `it is larger than ${MAX_DOCUMENT / 1024} KB`,
  malformed: 'the response is not valid HTTP',
  tls: 'the certificate of its host is not valid for it',
  invalid_url: 'the URL cannot be requested',
};
