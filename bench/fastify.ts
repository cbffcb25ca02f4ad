// Server of Fastify alone, sending the same response as the server of node:http alone.

import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const { headers, body } = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8')) as {
  readonly headers: Record<string, string>;
  readonly body: readonly string[];
};
const chunks = body.map((chunk) => Buffer.from(chunk));

const app = fastify();
app.get('/v1/listing/:id', (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, headers);
  for (const chunk of chunks.slice(0, -1)) reply.raw.write(chunk);
  reply.raw.end(chunks.at(-1));
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('ready\n');
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
