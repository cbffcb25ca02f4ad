// Server that posts a body to many hosts, to each some times one after another, by undici alone.

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createPoster } from './poster.ts';

/** What to post. */
export interface PostOrder {
  readonly urls: readonly string[];
  readonly times: number;
  readonly body: string;
}

const post = createPoster();

createServer(async (request, response) => {
  const { urls, times, body } = (await json(request)) as PostOrder;
  await Promise.all(
    urls.map(async (url, host) => {
      for (let time = 0; time < times; time++) await post(url, `evt_${host}_${time}`, body);
    }),
  );
  response.end();
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
