// Connection to PostgreSQL that breaks exactly once, at a message that was chosen before: a failpoint between statements.

import type { Closing } from '../database/database.ts';
import { relayDatabase } from '../database/database-proxy.ts';

/** before: the message is not passed on. after: it is passed on, and the connection breaks once the server has answered. */
export type Failpoint = 'before' | 'after';

export interface FailpointProxy {
  readonly url: string;
  /** Arms it: the connection breaks at that message that a client sends, counted from 1; the session's greeting is none. */
  breakAt(failpoint: Failpoint, message: number): void;
}

/** Puts the proxy before the database of this URL. */
export async function startFailpointProxy(t: Closing, url: string): Promise<FailpointProxy> {
  let armed: { readonly failpoint: Failpoint; left: number } | undefined;
  const own = await relayDatabase(t, url, (client, upstream) => {
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
  return {
    url: own,
    breakAt(failpoint, message) {
      armed = { failpoint, left: message };
    },
  };
}
