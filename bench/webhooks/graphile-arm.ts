// Graphile Worker whose task posts the job's payload, signed as a webhook is.

import { Logger, run } from 'graphile-worker';
import { createPoster } from './poster.ts';

const { DATABASE_URL = '' } = process.env;
/** Jobs at once, as many as its documentation recommends for tasks that wait for others. */
const CONCURRENCY = 10;

const post = createPoster();
const runner = await run({
  connectionString: DATABASE_URL,
  concurrency: CONCURRENCY,
  noHandleSignals: true,
  crontab: '',
  logger: new Logger(() => () => {}),
  taskList: {
    deliver: async (payload) => {
      const { url, id, body } = payload as Readonly<Record<'url' | 'id' | 'body', string>>;
      await post(url, id, body);
    },
  },
});
process.stdout.write('ready\n');
process.once('SIGTERM', async () => {
  await runner.stop();
  process.exit(0);
});
