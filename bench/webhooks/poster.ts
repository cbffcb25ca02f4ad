// Plain client of webhooks: one signed POST by undici, without a queue behind it.

import { createHmac } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';

/** Of all webhooks of the benchmarks. */
export const SECRET = Buffer.alloc(32, 7);
/** Connections to one host. */
const CONNECTIONS = 8;

/** As the service does: every name below localhost is this machine. */
const lookup: LookupFunction = (_hostname, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }]);

/** The header webhook-signature. */
export const signatureOf = (id: string, timestamp: string, body: string): string =>
  `v1,${createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

/** Posts a body with the headers of a webhook; throws unless the answer is a success. */
export function createPoster(): (url: string, id: string, body: string) => Promise<void> {
  const dispatcher = new Agent({ connections: CONNECTIONS, connect: { lookup } });
  return async (url, id, body) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const answer = await request(url, {
      method: 'POST',
      dispatcher,
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(id, timestamp, body),
      },
    });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`The sink answered ${answer.statusCode}`);
  };
}
