// Registry of clients that register themselves: their lifetime, their number, and their revocation.

import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { ErrorPage } from '../protocol/errors.ts';
import type { Client } from './client.ts';
import { ClientDocumentError } from './client-document.ts';
import { type ClientRow, findClientRow, insertRevoked, isRevokedId, listClientRows } from './client-store.ts';

export interface ClientContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** A client that registered here and whose time is not over, also one that was shut out; null: no such client. */
export async function findClient({ database, clock }: ClientContext, id: string): Promise<Client | null> {
  const row = await database.read((sql) => findClientRow(sql, id));
  if (row === undefined || Date.parse(row.expiresAt) <= clock.now()) return null;
  return { kind: 'registered', id: row.id, name: row.name, redirectUris: row.redirectUris };
}

/** Whether the operator shut this client out: of whatever kind it is, and also when it is no longer known. */
export async function isRevokedClient({ database }: ClientContext, id: string): Promise<boolean> {
  return database.read((sql) => isRevokedId(sql, id));
}

/** Shuts a client out for good, of whatever kind; false where it was already. What was granted to it is not touched. */
export async function revokeClient({ database, clock }: ClientContext, id: string): Promise<boolean> {
  return database.write((sql) => insertRevoked(sql, id, new Date(clock.now())));
}

/** Clients that registered themselves, the newest first, a thousand at most. */
export async function listClients({ database }: ClientContext): Promise<readonly ClientRow[]> {
  return database.read(listClientRows);
}

const MAX_URL_LENGTH = 2_048;

/** What an id may be that is no address: printable characters of ASCII. */
const PLAIN_ID = /^[ -~]{1,200}$/;

/** Whoever knows the clients that describe themselves at an address. Throws ClientDocumentRefusal. */
export interface DocumentFinder {
  find(url: string, asker: string, signal?: AbortSignal): Promise<Client>;
}

/**
 * The client of an id, on behalf of somebody at this address. Throws AuthorizeRefusal for an id that is malformed or
 * shut out, or whose document cannot be used; whoever is not known is an unregistered client.
 */
export async function identifyClient(
  parts: ClientContext & { readonly documents: DocumentFinder },
  id: string,
  asker: { readonly address: string; readonly signal: AbortSignal },
): Promise<Client> {
  const isAddress = id.startsWith('https://') && id.length <= MAX_URL_LENGTH;
  if (!isAddress && (!PLAIN_ID.test(id) || /^https?:/i.test(id))) throw malformed();
  if (await isRevokedClient(parts, id)) throw shutOut();
  if (!isAddress) {
    return (await findClient(parts, id)) ?? { kind: 'unregistered', id, name: null, redirectUris: [] };
  }
  try {
    return await parts.documents.find(id, asker.address, asker.signal);
  } catch (error) {
    throw error instanceof ClientDocumentError ? unusable(error) : error;
  }
}

function malformed(): ErrorPage {
  const detail =
    'The client_id that the app sent is invalid: it must be one that was registered here, or the https URL of ' +
    'a document. Go back to the app, and tell its makers.';
  return new ErrorPage('invalid_client', 'Unknown app', detail);
}

function shutOut(): ErrorPage {
  const detail = 'The operator of this service has blocked it. Only they can say why.';
  return new ErrorPage('invalid_client', 'This app may not connect', detail);
}

function unusable(refusal: ClientDocumentError): ErrorPage {
  const { kind, retryAfter, message } = refusal;
  const options = { retryAfter, cause: refusal };
  if (kind !== 'busy')
    return new ErrorPage('invalid_client', 'This app cannot be looked up', message, options);
  return new ErrorPage('temporarily_unavailable', 'Too many requests', message, {
    ...options,
    status: 503,
  });
}
