// Listen address: whether it is free, and a readable reason if it is not.

import { createServer } from 'node:net';

/** The service cannot listen at the configured address; the message is one sentence with the remedy. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** The system's code, such as EADDRINUSE. */
  readonly code: string;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(sentence(host, port, cause));
    this.code = cause.code ?? '';
  }
}

/** Resolves with the port if it is free (for port 0, with a free one); throws ListenError. */
export function requireFreePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(new ListenError(host, port, error)));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}

function sentence(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `Port ${port} on ${host} is in use, perhaps by a running Freehold: stop that program, or set PORT to ` +
        'another port.'
      );
    case 'EACCES':
      return `This user may not listen on port ${port} of ${host}: set PORT to 1024 or above.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST=${host} is not an address of this machine: set HOST to one that is, such as 127.0.0.1.`;
    default:
      return `The service cannot listen on port ${port} of ${host} (${message}): set PORT or HOST.`;
  }
}
