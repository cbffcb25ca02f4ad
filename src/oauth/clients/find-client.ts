// Lookup of a client by its id: revoked, the explorer, described by a document, registered, or unregistered.

import type { OAuthContext } from '../protocol/context.ts';
import { ErrorPage } from '../protocol/errors.ts';
import { EXPLORER_CLIENT_ID, EXPLORER_NAME, explorerRedirect } from '../protocol/explorer-client.ts';
import type { Client } from './client.ts';
import { ClientDocumentError } from './client-document.ts';
import type { FindDocument } from './client-document-cache.ts';
import { findClientRow, isRevokedId } from './client-store.ts';

const MAX_URL_LENGTH = 2_048;
/** Printable ASCII. */
const PLAIN_ID = /^[ -~]{1,200}$/;

export interface ClientContext extends Pick<OAuthContext, 'database' | 'clock' | 'publicUrl'> {
  readonly findDocument: FindDocument;
}

/**
 * The client of an id, looked up for a caller at `address`. Throws ErrorPage for an id that is malformed or revoked, or whose
 * document cannot be used; an unknown id is an unregistered client.
 */
export async function identifyClient(
  context: ClientContext,
  id: string,
  { address, signal }: { readonly address: string; readonly signal: AbortSignal },
): Promise<Client> {
  const isUrl = id.startsWith('https://') && id.length <= MAX_URL_LENGTH;
  if (!isUrl && (!PLAIN_ID.test(id) || /^https?:/i.test(id))) throw malformedId();
  if (await isRevokedClient(context, id)) throw revoked();
  if (id === EXPLORER_CLIENT_ID) return explorerClient(context.publicUrl);
  if (!isUrl)
    return (await findRegistered(context, id)) ?? { kind: 'unregistered', id, name: null, redirectUris: [] };
  return context.findDocument(id, address, signal).catch((error: unknown) => {
    throw error instanceof ClientDocumentError ? unusableDocument(error) : error;
  });
}

/** Whether the operator revoked this client, of whatever kind, known or not. */
export function isRevokedClient({ database }: Pick<OAuthContext, 'database'>, id: string): Promise<boolean> {
  return database.read((sql) => isRevokedId(sql, id));
}

/** Known to the service itself, so that it never expires. */
function explorerClient(publicUrl: string): Client {
  const redirectUris = [explorerRedirect(publicUrl)];
  return { kind: 'own', id: EXPLORER_CLIENT_ID, name: EXPLORER_NAME, redirectUris };
}

/** A registered client that has not expired, revoked or not. */
async function findRegistered({ database, clock }: ClientContext, id: string): Promise<Client | null> {
  const row = await database.read((sql) => findClientRow(sql, id));
  if (row === undefined || Date.parse(row.expiresAt) <= clock.now()) return null;
  return { kind: 'registered', id: row.id, name: row.name, redirectUris: row.redirectUris };
}

function malformedId(): ErrorPage {
  const detail =
    'The client_id that the app sent is invalid: it must be one that was registered here, or the https URL of ' +
    'a document. Go back to the app, and tell its makers.';
  return new ErrorPage('invalid_client', 'Unknown app', detail);
}

function revoked(): ErrorPage {
  const detail = 'The operator of this service has blocked it. Only they can say why.';
  return new ErrorPage('invalid_client', 'This app may not connect', detail);
}

function unusableDocument(cause: ClientDocumentError): ErrorPage {
  const { kind, retryAfter, message } = cause;
  const options = { retryAfter, cause };
  if (kind !== 'busy')
    return new ErrorPage('invalid_client', 'This app cannot be looked up', message, options);
  return new ErrorPage('temporarily_unavailable', 'Too many requests', message, { ...options, status: 503 });
}
