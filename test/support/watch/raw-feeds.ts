// Readers of many feeds as raw connections, which keep little of what they receive.

import { connect, type Socket } from 'node:net';

export interface RawFeed {
  /** The current connection. */
  readonly socket: Socket;
  /** Sequences of the events so far, in the order of arrival. */
  readonly sequences: number[];
  readonly hasBegun: () => boolean;
  /** The last id that the stream has set. */
  readonly lastId: () => string;
  /** Resolves when it is closed for good. */
  readonly closed: Promise<void>;
}

export interface RawFeedRequest {
  readonly key: string;
  readonly path?: string;
  readonly lastId?: string;
  /** True: a feed that was refused, or not answered, is asked for again. */
  readonly retries?: boolean;
  /** True: it reads nothing until its socket is resumed. */
  readonly paused?: boolean;
}

/** Milliseconds before a client that was refused, or was not answered, tries again. */
const RETRY_PAUSE = 250;

/** Opens a feed. */
export function openRawFeed(url: string, request: RawFeedRequest): RawFeed {
  const { key, path = '/v1/events/stream', lastId = '', paused = false, retries = false } = request;
  const sequences: number[] = [];
  const closing = Promise.withResolvers<void>();
  let last = lastId;
  let hasBegun = false;
  let socket = open();
  return {
    get socket() {
      return socket;
    },
    sequences,
    lastId: () => last,
    hasBegun: () => hasBegun,
    closed: closing.promise,
  };

  function open(): Socket {
    const { port } = new URL(url);
    const opened = connect({ port: Number(port), host: '127.0.0.1' }).setEncoding('latin1');
    let rest = '';
    opened.on('error', () => {});
    opened.on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('id: ')) {
          hasBegun = true;
          last = line.slice(4);
        } else if (line.startsWith('data: ')) sequences.push(Number(/"sequence":(\d+)/.exec(line)?.[1]));
      }
    });
    opened.once('close', () => {
      if (hasBegun || !retries) closing.resolve();
      else
        setTimeout(() => {
          socket = open();
        }, RETRY_PAUSE);
    });
    if (paused) opened.pause();
    const resume = lastId === '' ? '' : `Last-Event-ID: ${lastId}\r\n`;
    opened.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${resume}\r\n`);
    return opened;
  }
}
