// Server of the service that notes how long each request of one kind takes: from the parsed head to the last byte handed to the socket.

import diagnostics from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';

interface Message {
  readonly request: IncomingMessage;
}

/** What the paths of these requests begin with. */
const PREFIX = process.env.TIMED_PATHS ?? '/v1/search/';

const begun = new WeakMap<IncomingMessage, number>();
const times: number[] = [];
diagnostics.subscribe('http.server.request.start', (message) => {
  begun.set((message as Message).request, performance.now());
});
diagnostics.subscribe('http.server.response.finish', (message) => {
  const { request } = message as Message;
  if (request.url?.startsWith(PREFIX)) times.push(performance.now() - (begun.get(request) ?? Number.NaN));
});
process.once('exit', () => writeFileSync(process.env.TIMES_FILE ?? '', JSON.stringify(times)));
await import('../service.ts');
