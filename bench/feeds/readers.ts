// Readers of feeds in a process of their own: each side of a comparison has one, so that files suffice for many connections.

import { fork } from 'node:child_process';
import { join } from 'node:path';

export type ReaderOrder =
  | { readonly kind: 'open'; readonly url: string; readonly count: number; readonly request: string }
  | { readonly kind: 'expect' };

export type ReaderAnswer =
  | { readonly kind: 'ready' }
  /** `milliseconds`: between the first reader and the last; `text`: what the first got. */
  | { readonly kind: 'delivered'; readonly milliseconds: number; readonly text: string };

type Delivered = Extract<ReaderAnswer, { readonly kind: 'delivered' }>;

export interface Readers {
  readonly count: number;
  /** Opens further feeds. */
  open(count: number): Promise<void>;
  /** Sends an event to all of them; resolves once each has it. */
  deliver(send: () => Promise<unknown>): Promise<Delivered>;
  close(): void;
}

/** Milliseconds after which an event counts as lost, or feeds cannot be opened. */
const TIMEOUT = 180_000;

/** Opens feeds of a server, on the core of this process. */
export async function openReaders(url: string, key: string, count: number): Promise<Readers> {
  const child = fork(join(import.meta.dirname, 'readers-child.ts'));
  const next = (): Promise<ReaderAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<ReaderAnswer>();
    const cancel = setTimeout(() => reject(new Error(`Readers of ${url} wait for ever`)), TIMEOUT);
    child.once('message', resolve).once('exit', reject);
    return promise.finally(() => {
      clearTimeout(cancel);
      child.off('message', resolve).off('exit', reject);
    });
  };
  const order = (message: ReaderOrder): Promise<ReaderAnswer> => {
    const answer = next();
    child.send(message);
    return answer;
  };
  const request = `GET /v1/events/stream?after=now HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  let open = 0;
  const readers: Readers = {
    get count() {
      return open;
    },
    async open(more) {
      await order({ kind: 'open', url, count: more, request });
      open += more;
    },
    async deliver(send) {
      await order({ kind: 'expect' });
      const delivered = next();
      await send();
      const answer = await delivered;
      if (answer.kind !== 'delivered') throw new Error('Readers gave another answer');
      return answer;
    },
    close: () => child.disconnect(),
  };
  await readers.open(count);
  return readers;
}
