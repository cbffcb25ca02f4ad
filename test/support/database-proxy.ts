// Owns a stretch of line between a client and PostgreSQL that tests cut, or let hang.
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { parseDatabaseUrl, socketUrl } from '../../src/postgres/connection-url.ts';
import type { Closing } from './database.ts';
import { atEnd, temporaryFolder } from './database.ts';

/** pass: everything goes through. hang: nothing does. cut: the connection ends at the client's next word. */
export type LineMode = 'pass' | 'hang' | 'cut';

export interface DatabaseProxy {
  readonly url: string;
  mode: LineMode;
  /** How many times clients have spoken since the line began to hang. */
  readonly swallowed: number;
}

/** Puts a proxy before the database of this URL. */
export async function startDatabaseProxy(t: Closing, url: string): Promise<DatabaseProxy> {
  const target = parseDatabaseUrl(url);
  const folder = await temporaryFolder(t, 'proxy');
  const proxy = { url: socketUrl({ ...target, host: folder }), mode: 'pass' as LineMode, swallowed: 0 };
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = target.host.startsWith('/')
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);
    for (const socket of [client, upstream]) open.add(socket.on('error', () => {}));
    client.on('data', (chunk) => {
      if (proxy.mode === 'hang') proxy.swallowed++;
      else if (proxy.mode === 'cut') client.destroy();
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => proxy.mode !== 'hang' && client.write(chunk));
    client.on('close', () => upstream.destroy());
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
