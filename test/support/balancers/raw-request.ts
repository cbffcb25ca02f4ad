// Requests with headers as they are written, from any address of this machine.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** Names and values in turn, as they are sent; one name may come twice. */
  readonly headers?: readonly string[];
  /** The address from which it comes, of this machine. */
  readonly from?: string;
}

/** One request on a connection of its own. Rejects where no answer comes. */
export function askRaw(
  port: number,
  { method = 'GET', path = '/', headers = [], from = '127.0.0.1' }: RawRequest,
) {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const sent = request(
    {
      host: '127.0.0.1',
      port,
      method,
      path,
      localAddress: from,
      agent: false,
      headers: ['Host', '127.0.0.1', ...headers],
    },
    (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    },
  );
  sent.on('error', reject);
  sent.end();
  return promise;
}
