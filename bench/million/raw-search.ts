// Server of P4: node:http alone, running the same statements by the same driver and printing the rows.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Planning } from '../../src/postgres/client/connection.ts';
import { openDriver, type Statement } from './driver.ts';

const { url, planned, answers } = JSON.parse(readFileSync(process.env.ANSWERS ?? '', 'utf8')) as {
  readonly url: string;
  /** As the service has them planned. */
  readonly planned: Planning;
  readonly answers: Readonly<Record<string, readonly Statement[]>>;
};
/** As many connections as the service has. */
const driver = openDriver(url, 10, { planned });

const [BEGIN, COMMA, END] = ['{"object":"list","data":[', ',', ']}'].map((text) => Buffer.from(text));

/** Listings as they are kept, which is all but what the service puts behind each of them. */
async function answer(path: string): Promise<Buffer> {
  const parts: (Buffer | undefined)[] = [BEGIN];
  for (const { text, parameters } of answers[path] ?? []) {
    const rows = await driver.unsafe(text, [...parameters], { prepare: true }).raw();
    for (const row of rows) parts.push(...(parts.length > 1 ? [COMMA] : []), (row as unknown as Buffer[])[1]);
  }
  return Buffer.concat([...parts, END].filter((part) => part !== undefined));
}

createServer((request, response) => {
  answer(request.url ?? '').then(
    (body) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    },
    (error: unknown) => {
      response.writeHead(500).end(String(error));
    },
  );
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
