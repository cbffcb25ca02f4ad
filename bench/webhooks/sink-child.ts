// Process that webhooks are sent to: hosts of which some hang. It tells when deliveries came.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonic, type SinkAnswer, type SinkOrder } from './sink.ts';

/** Sequence of an event: the bodies are whole events of the log. */
const SEQUENCE = /"sequence":(\d+)/;

interface Round {
  left: number;
  first: number;
  /** The first delivery. */
  sample: Extract<SinkAnswer, { kind: 'arrived' }>['sample'] | null;
}

let round: Round | null = null;
let arrivals: [number, number][] = [];
let hanging: ReadonlySet<string> = new Set();
const held = new Set<ServerResponse>();
const send = (answer: SinkAnswer): void => void process.send?.(answer);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const host = request.headers.host ?? '';
    if (hanging.has(host)) {
      held.add(response);
      return;
    }
    const now = monotonic();
    response.writeHead(204).end();
    const body = Buffer.concat(chunks).toString();
    arrivals.push([Number(SEQUENCE.exec(body)?.[1]), now]);
    if (round === null) return;
    if (round.sample === null) [round.first, round.sample] = [now, { headers: request.headers, body }];
    round.left -= 1;
    if (round.left > 0) return;
    send({ kind: 'arrived', milliseconds: now - round.first, sample: round.sample });
    round = null;
  });
});
// Connections stay open as long as the other side likes.
server.keepAliveTimeout = 600_000;

process.on('message', (order: SinkOrder) => {
  if (order.kind === 'expect') {
    round = { left: order.count, first: 0, sample: null };
    send({ kind: 'ready' });
  } else if (order.kind === 'hang') {
    hanging = new Set(order.hosts);
    if (hanging.size === 0) for (const response of held) response.destroy();
    if (hanging.size === 0) held.clear();
    send({ kind: 'ready' });
  } else {
    send({ kind: 'arrivals', arrivals });
    arrivals = [];
  }
});
process.once('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () =>
  send({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);
