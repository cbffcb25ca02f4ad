// Arm of Fastify alone: its way to a handler, and then what the arm of node:http does.

import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const { headers, body } = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8')) as {
  readonly headers: Record<string, string>;
  readonly body: readonly string[];
};
const pieces = body.map((piece) => Buffer.from(piece));

const app = fastify();
app.get('/v1/listing/:id', (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, headers);
  for (const piece of pieces.slice(0, -1)) reply.raw.write(piece);
  reply.raw.end(pieces.at(-1));
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('ready\n');
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
