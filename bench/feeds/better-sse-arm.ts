// Server of better-sse: a channel to which every session belongs, and which broadcasts what is posted.

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createChannel, createSession } from 'better-sse';

/** As often as the service. */
const HEARTBEAT = 20_000;
const channel = createChannel();

createServer(async (request, response) => {
  if (request.method === 'POST') {
    const { id, event, data } = (await json(request)) as { id: string; event: string; data: unknown };
    channel.broadcast(data, event, { eventId: id });
    response.end();
    return;
  }
  channel.register(await createSession(request, response, { keepAlive: HEARTBEAT }));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
