// Server of node:http alone, sending the same bytes and headers as the service, whole or as a stream.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { headers, body } = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8')) as {
  readonly headers: Record<string, string>;
  readonly body: string | readonly string[];
};
const chunks = [body].flat().map((chunk) => Buffer.from(chunk));

createServer((_request, response) => {
  response.writeHead(200, headers);
  for (const chunk of chunks.slice(0, -1)) response.write(chunk);
  response.end(chunks.at(-1));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
