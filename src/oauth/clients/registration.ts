// Client metadata of a registration (RFC 7591): what is stored, replaced and refused.

import { oauthError } from '../protocol/errors.ts';
import { cleanClientName } from './client.ts';
import { parseRedirectUris } from './redirect-uri.ts';

/** The metadata of a client as it was registered, with the names of RFC 7591. */
export interface Registration {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: 'none';
  /** Addresses about the client: kept, never fetched. */
  readonly about: Readonly<Record<string, string>>;
}

const DEFAULT_NAME = 'Unnamed app';
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const ABOUT = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'];
const MAX_URL_LENGTH = 2_048;

/**
 * What is registered of the metadata that was sent. Every client is a public one here, so methods of authentication
 * are replaced by none, and unknown members and grant types are left out. Throws invalid_redirect_uri.
 */
export function parseRegistration(metadata: Readonly<Record<string, unknown>>): Registration {
  const redirectUris = parseRedirectUris(metadata.redirect_uris);
  if (typeof redirectUris === 'string') throw oauthError('invalid_redirect_uri', `${redirectUris}.`);
  return {
    client_name: cleanClientName(metadata.client_name) ?? DEFAULT_NAME,
    redirect_uris: redirectUris,
    grant_types: grantTypes(metadata.grant_types),
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    about: Object.fromEntries(ABOUT.flatMap((name) => aboutEntry(name, metadata[name]))),
  };
}

function grantTypes(asked: unknown): readonly string[] {
  if (!Array.isArray(asked)) return GRANT_TYPES;
  const kept = GRANT_TYPES.filter((type) => asked.includes(type));
  // Nothing can be granted here without a code, whatever a client says of itself.
  return kept.includes('authorization_code') ? kept : GRANT_TYPES;
}

function aboutEntry(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH) return [];
  const kept = /^https:\/\/[^\s\p{Cc}]+$/u.test(value) && value.isWellFormed() && URL.canParse(value);
  return kept ? [[name, value]] : [];
}
