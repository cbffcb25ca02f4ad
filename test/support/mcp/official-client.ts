// Official MCP client, connected to a service, with a record of what it sent.

import {
  Client,
  type ClientCapabilities,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { atEnd, type Closing } from '../database/database.ts';
import { type Era, REVISIONS } from './messages.ts';

export interface ClientOptions {
  /** Default `modern`. */
  readonly era?: Era;
  /** Capabilities of the client; default: none. */
  readonly capabilities?: ClientCapabilities;
  /** Key or token. */
  readonly credential?: string;
  readonly session?: OAuthClientProvider;
  /** `throw`: a missing scope is told instead of asked for. */
  readonly onInsufficientScope?: 'reauthorize' | 'throw';
}

export interface HttpExchange {
  readonly method: string;
  /** Path of the request. */
  readonly path: string;
  /** Method of JSON-RPC; empty: another request. */
  readonly rpc: string;
  readonly status: number;
  readonly sessionId: string | null;
}

export interface OfficialClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** In the order of their answers. */
  readonly exchanges: readonly HttpExchange[];
}

/** Client that has not yet sent anything; closed when the test ends. */
export function createClient(
  t: Closing,
  { url }: { readonly url: string },
  { era = 'modern', credential, session, onInsufficientScope, capabilities = {} }: ClientOptions = {},
): OfficialClient {
  const exchanges: HttpExchange[] = [];
  const options: StreamableHTTPClientTransportOptions = {
    ...(session !== undefined && { authProvider: session }),
    ...(credential !== undefined && { requestInit: { headers: { authorization: `Bearer ${credential}` } } }),
    ...(onInsufficientScope !== undefined && { onInsufficientScope }),
    async fetch(target, init) {
      const answer = await fetch(target, init);
      const method = init?.method ?? 'GET';
      exchanges.push({
        method,
        path: new URL(target).pathname,
        rpc: rpcMethod(init?.body),
        status: answer.status,
        sessionId: answer.headers.get('mcp-session-id'),
      });
      return answer;
    },
  };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), options);
  const mode = era === 'modern' ? { pin: REVISIONS.modern } : 'legacy';
  const client = new Client(
    { name: 'official-client', version: '1' },
    {
      capabilities,
      versionNegotiation: { mode },
    },
  );
  atEnd(t, () => client.close());
  return { client, transport, exchanges };
}

export async function connectClient(
  t: Closing,
  place: { readonly url: string },
  options: ClientOptions = {},
): Promise<OfficialClient> {
  const created = createClient(t, place, options);
  await created.client.connect(created.transport);
  return created;
}

function rpcMethod(body: unknown): string {
  if (typeof body !== 'string' || !body.startsWith('{')) return '';
  const { method } = JSON.parse(body) as { method?: unknown };
  return typeof method === 'string' ? method : '';
}
