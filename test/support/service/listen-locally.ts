// Servers of tests at any port of this machine, which end with the test.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closing } from '../database/database.ts';

/** Gives the port. */
export async function listenLocally(t: Closing, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
