// Clients that are slow on purpose: connections that drip their head, their body, or nothing, until they are cut.

import { connect } from 'node:net';

export type Drip = 'head' | 'body' | 'nothing' | 'chunks';

export interface SlowResult {
  /** Milliseconds until the last of them was cut. */
  readonly longest: number;
  /** Connections that were still open when patience ended. */
  readonly uncut: number;
  /** Statuses of the honest requests meanwhile, and how often each came. */
  readonly honest: Readonly<Record<number, number>>;
  /** Milliseconds of the honest request that only one in a hundred was slower than: before, and meanwhile. */
  readonly p99: { readonly alone: number; readonly meanwhile: number };
}

const HEADS: Readonly<Record<Drip, string>> = {
  head: 'GET /v1/areas HTTP/1.1\r\nHost: x\r\n',
  body: 'POST /v1/areas HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
  chunks: 'POST /v1/areas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
  nothing: '',
};
const PIECES: Readonly<Record<Drip, string>> = {
  head: 'X-A: b\r\n',
  body: ' ',
  chunks: '1\r\n \r\n',
  nothing: '',
};

export interface SlowOptions {
  readonly port: number;
  readonly connections: number;
  /** Milliseconds between two pieces. */
  readonly pause: number;
  /** Milliseconds after which nobody waits any more for a connection to be cut. */
  readonly patience: number;
}

/** Holds so many slow connections of all kinds, and asks honestly until the last of them is cut. */
export async function dripOn({ port, connections, pause, patience }: SlowOptions): Promise<SlowResult> {
  const alone: number[] = [];
  const honest: Record<number, number> = {};
  const ask = async (times: number[]): Promise<void> => {
    const since = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/livez`);
    await answer.body?.cancel();
    times.push(performance.now() - since);
    honest[answer.status] = (honest[answer.status] ?? 0) + 1;
  };
  for (let count = 0; count < 200; count++) await ask(alone);
  const kinds = Object.keys(HEADS) as Drip[];
  const ended = Array.from({ length: connections }, (_, at) =>
    drip(port, kinds[at % kinds.length] ?? 'head', pause, patience),
  );
  let over = false;
  const all = Promise.all(ended).finally(() => {
    over = true;
  });
  const meanwhile: number[] = [];
  while (!over) await ask(meanwhile);
  const results = await all;
  return {
    longest: Math.round(Math.max(...results.map(({ lived }) => lived))),
    uncut: results.filter(({ cut }) => !cut).length,
    honest,
    p99: { alone: percentile(alone), meanwhile: percentile(meanwhile) },
  };
}

function drip(port: number, kind: Drip, pause: number, patience: number) {
  return new Promise<{ readonly lived: number; readonly cut: boolean }>((resolve) => {
    const since = performance.now();
    const socket = connect(port, '127.0.0.1', () => void socket.write(HEADS[kind]));
    const timer = setInterval(() => {
      if (performance.now() - since > patience) finish(false);
      else if (PIECES[kind] !== '' && socket.writable) socket.write(PIECES[kind]);
    }, pause);
    function finish(cut: boolean): void {
      clearInterval(timer);
      socket.destroy();
      resolve({ lived: performance.now() - since, cut });
    }
    // Read, so that the end behind an answer is seen.
    socket.resume().on('error', () => {});
    socket.on('close', () => finish(true));
  });
}

function percentile(times: readonly number[]): number {
  const sorted = times.toSorted((left, right) => left - right);
  return Math.round((sorted[Math.floor(sorted.length * 0.99)] ?? 0) * 10) / 10;
}
