// The other arm: node:http alone, sending the same bytes and headers, whole or as a stream.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { headers, body } = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8')) as {
  readonly headers: Record<string, string>;
  readonly body: string | readonly string[];
};
const pieces = [body].flat().map((piece) => Buffer.from(piece));

createServer((_request, response) => {
  response.writeHead(200, headers);
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
