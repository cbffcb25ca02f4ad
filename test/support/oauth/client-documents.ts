// Fixture for tests of client documents: hosts, a document finder, and its clock.

import assert from 'node:assert/strict';
import { createInternet } from '../../../src/lib/network/internet.ts';
import { ClientDocumentError } from '../../../src/oauth/clients/client-document.ts';
import { createDocumentFinder, type FindDocument } from '../../../src/oauth/clients/client-document-cache.ts';
import type { FetchLimits } from '../../../src/oauth/clients/document-throttle.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { Closing } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { type DocumentHosts, documentHosts, type Handler, json } from './document-hosts.ts';

export const REDIRECTS = ['https://client.example/cb', 'http://127.0.0.1/cb'];

export interface DocumentFixture {
  readonly hosts: DocumentHosts;
  readonly clock: ManualClock;
  readonly findDocument: FindDocument;
  /** The client's name, or the kind of error. */
  find(url: string, address?: string): Promise<string>;
  /** Another process on the same database. */
  another(limits?: Partial<FetchLimits>): FindDocument;
}

export async function createFixture(
  t: Closing,
  database: Database,
  limits: Partial<FetchLimits> = {},
): Promise<DocumentFixture> {
  const hosts = await documentHosts(t);
  const clock = manualClock(Date.now());
  const report = (error: unknown) => assert.fail(String(error));
  function another(own = limits): FindDocument {
    const outbound = createInternet(clock, hosts.internet);
    t.after(() => outbound.close());
    return createDocumentFinder({ database, clock, outbound, report, fetchLimits: own });
  }
  const findDocument = another();
  const find = async (url: string, address = '192.0.2.1') => outcome(findDocument(url, address));
  return { hosts, clock, findDocument, another, find };
}

/** The client's name, `-` where it has none, or the kind of error. */
export async function outcome(found: ReturnType<FindDocument>): Promise<string> {
  try {
    return (await found).name ?? '-';
  } catch (error) {
    assert.ok(error instanceof ClientDocumentError, String(error));
    return error.kind;
  }
}

/** Serves a document that is in order but for the given change, under its own address. */
export function serve(
  { hosts }: DocumentFixture,
  path: string,
  change: object = {},
  headers: Record<string, string> = {},
): string {
  const document = { client_id: hosts.url(path), client_name: 'Good', redirect_uris: REDIRECTS, ...change };
  return hosts.put(path, json(document, headers));
}

/** Answers with exactly this. */
export const reply =
  (status: number, headers: Record<string, string>, body: string | Buffer = ''): Handler =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);
export const JSON_TYPE = { 'content-type': 'application/json' };
