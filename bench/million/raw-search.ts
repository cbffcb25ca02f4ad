// Owns the other arm of P4: node:http alone, which puts the same statements by the same driver and prints the rows.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { openDriver, type Statement } from './driver.ts';

const { url, answers } = JSON.parse(readFileSync(process.env.ANSWERS ?? '', 'utf8')) as {
  readonly url: string;
  readonly answers: Readonly<Record<string, readonly Statement[]>>;
};
/** As many connections as the service has. */
const driver = openDriver(url, 10, { json: 'as text' });

/** Listings as they are kept, which is all but what the service puts behind each of them. */
async function answer(path: string): Promise<string> {
  let rows: readonly { readonly record?: string }[] = [];
  for (const { text, parameters } of answers[path] ?? [])
    rows = await driver.unsafe(text, [...parameters], { prepare: true });
  return `{"object":"list","data":[${rows.map(({ record }) => record).join()}]}`;
}

createServer((request, response) => {
  answer(request.url ?? '').then(
    (text) => {
      const body = Buffer.from(text);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    },
    (error: unknown) => {
      response.writeHead(500).end(String(error));
    },
  );
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
