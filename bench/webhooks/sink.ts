// Sink of webhooks in a process of its own, on core 1.

import { fork } from 'node:child_process';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';

export type SinkOrder =
  | { readonly kind: 'expect'; readonly count: number }
  | { readonly kind: 'hang'; readonly hosts: readonly string[] }
  | { readonly kind: 'arrivals' };

export type SinkAnswer =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'ready' }
  /** `milliseconds`: between the first delivery and the last that was expected. */
  | { readonly kind: 'arrived'; readonly milliseconds: number; readonly sample: Sample }
  /** The sequence of each event, and when it came. */
  | { readonly kind: 'arrivals'; readonly arrivals: readonly (readonly [number, number])[] };

/** One delivery. */
export interface Sample {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Milliseconds on a clock that all processes of this machine share. */
export const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;

export interface Sink {
  readonly port: number;
  /** The n-th of its hosts; all have one address. */
  host(no: number): string;
  url(no: number): string;
  /** Has deliveries sent; resolves once so many have come. */
  deliver(count: number, send: () => Promise<unknown>): Promise<{ milliseconds: number; sample: Sample }>;
  /** These hosts answer no more, until the next call; those that wait are cut where there are none. */
  hang(hosts: readonly string[]): Promise<void>;
  /** When deliveries came since the last call, by the sequences of their events. */
  arrivals(): Promise<Map<number, number>>;
  close(): void;
}

/** Milliseconds after which deliveries count as lost. */
const TIMEOUT = 120_000;

export async function startSink(): Promise<Sink> {
  const child = fork(join(import.meta.dirname, 'sink-child.ts'));
  const next = <K extends SinkAnswer['kind']>(kind: K): Promise<Extract<SinkAnswer, { kind: K }>> => {
    const { promise, resolve, reject } = Promise.withResolvers<Extract<SinkAnswer, { kind: K }>>();
    const listener = (answer: SinkAnswer) => {
      if (answer.kind === kind) resolve(answer as Extract<SinkAnswer, { kind: K }>);
    };
    const cancel = setTimeout(() => reject(new Error(`The sink waits for ever: ${kind}`)), TIMEOUT);
    child.on('message', listener).once('exit', reject);
    return promise.finally(() => {
      clearTimeout(cancel);
      child.off('message', listener).off('exit', reject);
    });
  };
  const order = async (message: SinkOrder): Promise<void> => {
    const ready = next('ready');
    child.send(message);
    await ready;
  };
  const { port } = await next('listening');
  const host = (no: number) => `h${no}.localhost:${port}`;
  return {
    port,
    host,
    url: (no) => `http://${host(no)}/hook`,
    async deliver(count, send) {
      await order({ kind: 'expect', count });
      const arrived = next('arrived');
      await send();
      return arrived;
    },
    hang: (hosts) => order({ kind: 'hang', hosts }),
    async arrivals() {
      const answer = next('arrivals');
      child.send({ kind: 'arrivals' });
      return new Map((await answer).arrivals);
    },
    close: () => child.disconnect(),
  };
}
