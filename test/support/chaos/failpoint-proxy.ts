// Connection to PostgreSQL that breaks exactly once, at a message that was chosen before: a failpoint between statements.

import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseDatabaseUrl, socketUrl } from '../../../src/postgres/client/connection-url.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';

/** before: the message is not passed on. after: it is passed on, and the line breaks once the server has answered. */
export type Failpoint = 'before' | 'after';

export interface FailpointProxy {
  readonly url: string;
  /** Arms it: the line breaks at that message that a client sends, counted from 1; the session's greeting is none. */
  breakAt(failpoint: Failpoint, message: number): void;
}

/** Puts the line before the database of this URL. */
export async function startFailpointProxy(t: Closing, url: string): Promise<FailpointProxy> {
  const target = parseDatabaseUrl(url);
  const folder = await temporaryFolder(t, 'failpoint');
  let armed: { readonly failpoint: Failpoint; left: number } | undefined;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = target.host.startsWith('/')
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(target.port, target.host);
    for (const socket of [client, upstream]) open.add(socket.on('error', () => {}));
    let greeted = false;
    let breaking = false;
    client.on('data', (chunk) => {
      // Messages of the greeting that hold a password begin with p.
      if (greeted && chunk[0] !== 0x70 && armed !== undefined && --armed.left === 0) {
        if (armed.failpoint === 'before') return client.destroy();
        breaking = true;
      }
      greeted = true;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => (breaking ? client.destroy() : client.write(chunk)));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  atEnd(t, async () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return {
    url: socketUrl({ ...target, host: folder }),
    breakAt(failpoint, message) {
      armed = { failpoint, left: message };
    },
  };
}
