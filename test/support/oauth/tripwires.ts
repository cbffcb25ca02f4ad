// Tripwires: listeners at private addresses that no request from outside may reach.

import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import { atEnd, type Closing } from '../database/database.ts';

export interface Tripwires {
  readonly port: number;
  /** Addresses that are listened at. */
  readonly addresses: readonly string[];
  /** Every connection: the address it came to. */
  readonly hits: string[];
}

const METADATA = '169.254.169.254';

/** Listens at 127.0.0.1 and, where that can be had, at ::1 and 169.254.169.254, on one port. */
export async function setTripwires(t: Closing, wanted = 0): Promise<Tripwires> {
  const hits: string[] = [];
  const first = await listenAt('127.0.0.1', wanted, hits);
  if (first === null) throw new Error(`Port ${wanted} is taken`);
  const { server, port } = first;
  const servers = [server];
  const addresses = ['127.0.0.1'];
  const hasMetadata = await addMetadata(t);
  for (const address of ['::1', ...(hasMetadata ? [METADATA] : [])]) {
    const other = await listenAt(address, port, hits);
    if (other === null) continue;
    servers.push(other.server);
    addresses.push(address);
  }
  atEnd(t, async () => {
    for (const each of servers) each.close();
  });
  return { port, addresses, hits };
}

function listenAt(
  address: string,
  port: number,
  hits: string[],
): Promise<{ readonly server: Server; readonly port: number } | null> {
  const server = createServer((socket) => {
    hits.push(address);
    socket.destroy();
  });
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, address, () => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? { server, port: bound.port } : null);
    });
  });
}

const run = promisify(execFile);

/** The address of clouds' metadata, added to the loopback interface where this user may; taken away at the end. */
async function addMetadata(t: Closing): Promise<boolean> {
  const change = (what: 'add' | 'del') => run('ip', ['addr', what, `${METADATA}/32`, 'dev', 'lo']);
  try {
    await change('add');
  } catch {
    return false;
  }
  atEnd(t, async () => void (await change('del').catch(() => {})));
  return true;
}
