// Owns the other arm: node:http alone, sending the same bytes and headers, whole or as the first event of a stream.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { headers, body, stream } = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8')) as {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly stream: boolean;
};
const bytes = Buffer.from(body);

createServer((_request, response) => {
  response.writeHead(200, headers);
  if (stream) response.write(bytes);
  else response.end(bytes);
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
