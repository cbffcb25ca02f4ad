// Server of @fastify/sse: its open replies are sent what is posted, one after another.

import { fastifySSE, type SSEReplyInterface } from '@fastify/sse';
import { fastify } from 'fastify';

/** As often as the service. */
const HEARTBEAT = 20_000;
const open = new Set<SSEReplyInterface>();

const app = fastify();
await app.register(fastifySSE, { heartbeatInterval: HEARTBEAT });
app.get('/v1/events/stream', { sse: 'only' }, async (_request, reply) => {
  reply.sse.keepAlive();
  open.add(reply.sse);
  reply.sse.onClose(() => open.delete(reply.sse));
  await reply.sse.send({ retry: 2_000, data: undefined });
});
app.post<{ Body: { id: string; event: string; data: unknown } }>('/', async ({ body }) => {
  await Promise.all([...open].map((stream) => stream.send(body)));
  return null;
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('ready\n');
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
