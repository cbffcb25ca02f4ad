// Stretch of network between a client and PostgreSQL that tests cut, or let hang.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseDatabaseUrl, socketUrl } from '../../../src/postgres/client/connection-url.ts';
import { atEnd, type Closing, temporaryFolder } from './database.ts';

/** pass: everything goes through. hang: nothing does. cut: the connection ends at the client's next word. */
export type LineMode = 'pass' | 'hang' | 'cut';

export interface DatabaseProxy {
  readonly url: string;
  mode: LineMode;
  /** How many times clients have spoken since the line began to hang. */
  readonly swallowed: number;
  /** Holds back what the first client says in whose words this text comes next, from there on. */
  stallAt(text: string): void;
  /** Passes on what was held back, whether or not its client is still there, and waits until PostgreSQL is done with it. */
  release(): Promise<void>;
}

/** What one client said while its line stalled. */
interface Stalled {
  readonly chunks: Buffer[];
  readonly upstream: Socket;
}

/** Puts a proxy before the database of this URL. */
export async function startDatabaseProxy(t: Closing, url: string): Promise<DatabaseProxy> {
  const target = parseDatabaseUrl(url);
  const folder = await temporaryFolder(t, 'proxy');
  let stallText: string | null = null;
  let stalled: Stalled | null = null;
  const proxy = {
    ...{ url: socketUrl({ ...target, host: folder }), mode: 'pass' as LineMode, swallowed: 0 },
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
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = target.host.startsWith('/')
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);
    for (const socket of [client, upstream]) open.add(socket.on('error', () => {}));
    client.on('data', (chunk: Buffer) => {
      if (stallText !== null && chunk.includes(stallText)) {
        stallText = null;
        stalled = { chunks: [chunk], upstream };
      } else if (stalled?.upstream === upstream) stalled.chunks.push(chunk);
      else if (proxy.mode === 'hang') proxy.swallowed++;
      else if (proxy.mode === 'cut') client.destroy();
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => proxy.mode !== 'hang' && client.write(chunk));
    client.on('close', () => stalled?.upstream === upstream || upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await listening(server, join(folder, '.s.PGSQL.5432'));
  atEnd(t, async () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return proxy;
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve) => server.listen(path, resolve));
}
