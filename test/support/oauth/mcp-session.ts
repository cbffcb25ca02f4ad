// Session of the official MCP client, in memory, and visible to the test.

import { randomBytes } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

export class McpSession implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:4321/callback';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'MCP client',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  /** Where people were sent to, in order. */
  readonly sent: URL[] = [];
  /** What the client had to forget, in order. */
  readonly forgotten: string[] = [];
  client: StoredOAuthClientInformation | undefined;
  storedTokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = '';

  state = (): string => randomBytes(16).toString('base64url');
  clientInformation = (): StoredOAuthClientInformation | undefined => this.client;
  tokens = (): StoredOAuthTokens | undefined => this.storedTokens;
  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovery;
  codeVerifier = (): string => this.#verifier;

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.client = client;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.storedTokens = tokens;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  redirectToAuthorization(address: URL): void {
    this.sent.push(address);
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    this.forgotten.push(scope);
    if (scope === 'all' || scope === 'client') this.client = undefined;
    if (scope === 'all' || scope === 'tokens') this.storedTokens = undefined;
  }
}
