// Ports that tests listen on: none that the system may meanwhile give to somebody's outgoing connection.

import { connect, createServer } from 'node:net';

/** Below the ports that systems hand out by themselves, and above those that services have. */
const [FIRST, COUNT] = [12_000, 18_000];

/** A free port of this machine. Drawn by chance, since other tests draw at the same time. */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Whether somebody accepts connections at a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, '127.0.0.1');
    probe.once('error', () => resolve(false));
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
  });
}
