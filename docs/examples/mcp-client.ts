// Owns an example: how a program that uses the official MCP client gets access to Freehold.
// node docs/examples/mcp-client.ts http://127.0.0.1:8080
import { randomBytes } from 'node:crypto';
import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  withOAuth,
} from '@modelcontextprotocol/client';
import { listen } from './loopback.ts';

const serverUrl = process.argv[2] ?? 'http://127.0.0.1:8080';
const { redirectUri, arrival } = await listen();

/** Keeps everything in memory. A real program keeps tokens and registration where the system keeps secrets. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl = redirectUri;
  readonly clientMetadata = { client_name: 'Example MCP client', redirect_uris: [redirectUri] };
  readonly sentState = randomBytes(16).toString('base64url');
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = '';

  state = (): string => this.sentState;
  clientInformation = (): StoredOAuthClientInformation | undefined => this.#client;
  tokens = (): StoredOAuthTokens | undefined => this.#tokens;
  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovery;
  codeVerifier = (): string => this.#verifier;

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  redirectToAuthorization(address: URL): void {
    console.log(`Open this in your browser:\n${address.href}`);
  }
}

const provider = new Provider();
// Finds the metadata, registers, and sends the person to the consent page.
await auth(provider, { serverUrl });
const { searchParams } = await arrival;
if (searchParams.get('state') !== provider.sentState)
  throw new Error('This is not the answer to our request.');
const code = searchParams.get('code');
if (code === null) throw new Error(`Refused: ${searchParams.get('error')}`);
await auth(provider, { serverUrl, authorizationCode: code, iss: searchParams.get('iss') ?? '' });
console.log(`Granted: ${provider.tokens()?.scope}`);

// Sends the token, and renews it when the service says that it has expired.
const fetchWithToken = withOAuth(provider, serverUrl)(fetch);
const usage = await fetchWithToken(new URL('/v1/usage', serverUrl));
console.log(`Usage: ${await usage.text()}`);
