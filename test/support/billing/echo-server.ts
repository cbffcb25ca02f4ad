// A payment service that repeats the credentials of each call in its answers, as a careless proxy would.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd, type Closing } from '../database/database.ts';

export interface EchoServer {
  readonly url: string;
  /** Calls so far. */
  readonly calls: number;
}

/** Answers with these statuses in turn. */
export async function startEchoServer(t: Closing, statuses: readonly number[]): Promise<EchoServer> {
  let calls = 0;
  const server = createServer((request, response) => {
    const status = statuses[calls++ % statuses.length] ?? 500;
    const { authorization = '' } = request.headers;
    const message = `The credentials ${authorization} of ${request.url} were not accepted`;
    response.writeHead(status, `No ${authorization}`, {
      'content-type': 'application/json',
      'x-credentials': authorization,
      ...(status === 302 && { location: `/elsewhere?token=${authorization}` }),
    });
    response.end(JSON.stringify({ error: { message }, detail: message, id: authorization }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return calls;
    },
  };
}
