// Server of @fastify/sse: its open replies are sent what is posted, one after another.

import { fastifySSE, type SSEReplyInterface } from '@fastify/sse';
import { fastify, type RouteShorthandOptions } from 'fastify';

/** As often as the service. */
const HEARTBEAT = 20_000;
const open = new Set<SSEReplyInterface>();

const app = fastify();
await app.register(fastifySSE, { heartbeatInterval: HEARTBEAT });
const options: RouteShorthandOptions & { readonly sse: 'only' } = { sse: 'only' };
app.get('/v1/events/stream', options, async (_request, reply) => {
  const { sse } = reply as unknown as { readonly sse: SSEReplyInterface };
  sse.keepAlive();
  open.add(sse);
  sse.onClose(() => open.delete(sse));
  await sse.send({ retry: 2_000, data: undefined });
});
app.post<{ Body: { id: string; event: string; data: unknown } }>('/', async ({ body }) => {
  await Promise.all([...open].map((stream) => stream.send(body)));
  return null;
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('ready\n');
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
