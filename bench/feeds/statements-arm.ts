// Server that runs the statements of a page of events and answers how many milliseconds they took.

import { createServer } from 'node:http';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { readEvents } from '../../src/watch/events/read-store.ts';

const database = openDatabase({ url: process.env.DATABASE_URL ?? '', timeout: 0 });
const after = { sequence: 0, watcherId: '', type: '', ordinal: 0 };
const range = { scope: { owner: process.env.OWNER ?? '' }, after, limit: Number(process.env.LIMIT) };

createServer(async (_request, response) => {
  const begun = performance.now();
  await database.read((sql) => readEvents(sql, range), { planned: 'once' });
  response.end(String(performance.now() - begun));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
