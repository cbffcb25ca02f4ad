// Stream of updates that the official MCP client listens to, each over a connection of its own.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { until } from '../check/until.ts';
import { atEnd, type Closing } from '../database/database.ts';

export interface UpdateStream {
  readonly client: Client;
  /** URIs that the server agreed to tell of. */
  readonly followed: readonly string[];
  /** URIs in the order of their updates. */
  readonly updates: readonly string[];
  /** Resolves once this many updates have come. */
  received(count: number): Promise<void>;
  /** How the stream ended: `graceful` if the server said so. */
  readonly ended: Promise<'local' | 'graceful' | 'remote'>;
  leave(): Promise<void>;
}

/** An official client of the newest protocol; closed when the test ends. */
export async function connectMcp(t: Closing, url: string, key: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport);
  atEnd(t, () => client.close());
  return client;
}

/** Opens a stream of updates of these resources. Rejects if the server refuses it. */
export async function followResources(
  t: Closing,
  { url, key }: { readonly url: string; readonly key: string },
  uris: readonly string[],
): Promise<UpdateStream> {
  const client = await connectMcp(t, url, key);
  const updates: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updates.push(params.uri);
  });
  const stream = await client.listen({ resourceSubscriptions: [...uris] });
  return {
    client,
    updates,
    ended: stream.closed,
    followed: stream.honoredFilter.resourceSubscriptions ?? [],
    received: (count) => until(`${count} updates have come`, () => updates.length >= count),
    leave: () => stream.close(),
  };
}
