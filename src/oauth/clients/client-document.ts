// Client ID metadata document: what it must contain for its URL to be a client.

import type { OutboundAnswer } from '../../lib/outbound.ts';
import { type Client, cleanClientName } from './client.ts';
import { ClientDocumentError } from './client-document-refusal.ts';
import { parseRedirectUris } from './redirect-uri.ts';

/** Bytes, unpacked. */
export const MAX_DOCUMENT = 5 * 1024;

type Members = Readonly<Record<string, unknown>>;

/** The client that the answer describes. Throws ClientDocumentRefusal `answer` or `document`. */
export function parseClientDocument(url: URL, answer: OutboundAnswer): Client {
  const members = readMembers(url, answer);
  if (members.client_id !== url.href) {
    throw refusal('document', url, 'its client_id must be exactly the URL of the document');
  }
  if ('client_secret' in members || 'client_secret_expires_at' in members) {
    throw refusal('document', url, 'a public document must not contain a client_secret');
  }
  if (!worksWithoutSecret(members)) {
    throw refusal(
      'document',
      url,
      'its token_endpoint_auth_method must be none, or none must be among those supported',
    );
  }
  return {
    ...{ kind: 'document', id: url.href },
    name: cleanClientName(members.client_name),
    redirectUris: redirectUrisOf(url, members.redirect_uris),
  };
}

function readMembers(url: URL, { status, headers, body }: OutboundAnswer): Members {
  if (status !== 200)
    throw refusal('answer', url, `it must return 200 without a redirect, and returned ${status}`);
  const type =
    String(headers['content-type'] ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(type)) {
    throw refusal('answer', url, 'its Content-Type must be application/json');
  }
  const members = parsed(body);
  if (members === null) throw refusal('answer', url, 'it must be one JSON object in UTF-8');
  return members;
}

function parsed(body: Buffer): Members | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Methods with a secret that both sides know are never meant; one with a key of the client's own may be left out. */
function worksWithoutSecret(members: Members): boolean {
  const method = members.token_endpoint_auth_method ?? 'none';
  if (typeof method !== 'string' || method.startsWith('client_secret')) return false;
  const supported = members.token_endpoint_auth_methods_supported;
  return method === 'none' || (Array.isArray(supported) && supported.includes('none'));
}

function redirectUrisOf(url: URL, value: unknown): readonly string[] {
  const read = parseRedirectUris(value);
  if (typeof read === 'string') throw refusal('document', url, read);
  return read;
}

function refusal(kind: 'answer' | 'document', url: URL, fault: string): ClientDocumentError {
  return new ClientDocumentError(kind, `The document at ${url.href} cannot be used: ${fault}.`);
}
