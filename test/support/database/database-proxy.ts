// Stretch of network between a client and PostgreSQL that tests cut, or let hang.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseDatabaseUrl, socketUrl } from '../../../src/postgres/client/connection-url.ts';
import { atEnd, type Closing, temporaryFolder } from './database.ts';

/** pass: everything goes through. hang: nothing does. cut: the connection ends when the client next sends something. */
export type ProxyMode = 'pass' | 'hang' | 'cut';

export interface DatabaseProxy {
  readonly url: string;
  mode: ProxyMode;
  /** Chunks that clients have sent since the proxy began to hang. */
  readonly swallowed: number;
  /** The same as text. */
  readonly swallowedText: string;
  /** Holds back what the next client sends that sends this text, from there on. */
  stallAt(text: string): void;
  /** Passes on what was held back, whether or not its client is still there, and waits until PostgreSQL is done with it. */
  release(): Promise<void>;
}

/** What one client sent while its connection stalled. */
interface Stalled {
  readonly chunks: Buffer[];
  readonly upstream: Socket;
}

/** Puts a proxy before the database of this URL. */
export async function startDatabaseProxy(t: Closing, url: string): Promise<DatabaseProxy> {
  let stallText: string | null = null;
  let stalled: Stalled | null = null;
  const proxy = {
    mode: 'pass' as ProxyMode,
    swallowed: 0,
    swallowedText: '',
    stallAt(text: string) {
      stallText = text;
    },
    async release() {
      if (stalled === null) throw new Error('Nothing has stalled');
      const { chunks, upstream } = stalled;
      stalled = null;
      const closed = once(upstream, 'close');
      upstream.end(Buffer.concat(chunks));
      await closed;
    },
  };
  const own = await relayDatabase(t, url, (client, upstream) => {
    client.on('data', (chunk: Buffer) => {
      if (stallText !== null && chunk.includes(stallText)) {
        stallText = null;
        stalled = { chunks: [chunk], upstream };
      } else if (stalled?.upstream === upstream) stalled.chunks.push(chunk);
      else if (proxy.mode === 'hang') {
        proxy.swallowed++;
        proxy.swallowedText += chunk.toString('latin1');
      } else if (proxy.mode === 'cut') client.destroy();
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => proxy.mode !== 'hang' && client.write(chunk));
    client.on('close', () => stalled?.upstream === upstream || upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  return Object.assign(proxy, { url: own });
}

/**
 * Accepts connections on a socket of its own, and hands each over with a new one to the database of this URL; gives the
 * URL that leads there. All of them end with the test.
 */
export async function relayDatabase(
  t: Closing,
  url: string,
  relay: (client: Socket, upstream: Socket) => void,
): Promise<string> {
  const target = parseDatabaseUrl(url);
  const folder = await temporaryFolder(t, 'proxy');
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = target.host.startsWith('/')
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);
    for (const socket of [client, upstream]) open.add(socket.on('error', () => {}));
    relay(client, upstream);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  atEnd(t, async () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return socketUrl({ ...target, host: folder });
}
