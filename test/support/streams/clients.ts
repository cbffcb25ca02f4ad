// Readers of event streams as raw connections: how each behaves, and what it received.

import { connect, type Socket } from 'node:net';
import { until } from '../check/until.ts';
import { parseEvents } from '../sources/live-service.ts';

export interface Reader {
  readonly socket: Socket;
  /** Everything received so far. */
  text(): string;
  readonly closed: Promise<void>;
  readonly isClosed: () => boolean;
}

/** What a client does; `isReached` tells whether the upstream has been reached, or the outcome is known. */
export interface Behaviour {
  readonly name: string;
  /** True when it stays to the end, and so must receive all of the stream. */
  readonly stays: boolean;
  act(reader: Reader, service: { isReached(): boolean; idle(): Promise<void> }): Promise<void>;
}

/** Opens a connection and asks for a path; the connection ends with the answer. */
export async function request(url: string, path: string, key: string, paused = false): Promise<Reader> {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const closing = Promise.withResolvers<void>();
  socket.on('error', () => {});
  socket.on('close', () => closing.resolve());
  socket.on('end', () => socket.end());
  if (paused) socket.pause();
  else socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const reader = {
    socket,
    text: () => Buffer.concat(chunks).toString(),
    closed: closing.promise,
    isClosed: () => socket.closed,
  };
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(head, () => resolve());
  });
  if (paused) socket.on('data', (chunk: Buffer) => chunks.push(chunk)).pause();
  return reader;
}

/** Resolves once the reader has received the text, or its connection is closed. However busy the machine is, it waits. */
export function received({ socket, text, isClosed }: Reader, wanted: string): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isClosed() && !text().includes(wanted)) return;
      socket.off('data', check).off('close', check);
      resolve();
    };
    socket.on('data', check).on('close', check);
    check();
  });
}

export const BEHAVIOURS: readonly Behaviour[] = [
  { name: 'reads', stays: true, act: ({ closed }) => closed },
  {
    name: 'leaves before cached',
    stays: false,
    async act({ socket }) {
      socket.resetAndDestroy();
    },
  },
  {
    name: 'leaves after cached',
    stays: false,
    async act(reader) {
      await received(reader, 'event: cached');
      reader.socket.resetAndDestroy();
    },
  },
  {
    name: 'leaves while live waits',
    stays: false,
    async act(reader, { isReached }) {
      await received(reader, 'event: cached');
      await until('the source is reached', isReached);
      reader.socket.destroy();
    },
  },
  {
    name: 'leaves at done',
    stays: false,
    async act(reader) {
      await received(reader, 'event: done');
      reader.socket.resetAndDestroy();
    },
  },
  {
    name: 'reads slowly',
    stays: true,
    async act({ socket, isClosed }) {
      while (!isClosed()) {
        socket.resume();
        await new Promise((resolve) => setImmediate(resolve));
        socket.pause();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  },
  {
    name: 'reads nothing until the end',
    stays: true,
    async act({ socket, closed }, { idle }) {
      socket.pause();
      await idle();
      socket.resume();
      await closed;
    },
  },
  {
    name: 'half-closes',
    stays: false,
    async act({ socket, closed }) {
      socket.end();
      await closed;
    },
  },
];

export interface Received {
  readonly status: number;
  readonly names: readonly string[];
  /** The code of the `error` event. */
  readonly code: string | null;
  /** Whether the answer was brought to its end, rather than cut. */
  readonly complete: boolean;
}

/** Reads a raw answer in chunks, whole or cut anywhere. */
export function receivedFrom(text: string): Received {
  const split = text.indexOf('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  const { body, complete } = unchunked(Buffer.from(split < 0 ? '' : text.slice(split + 4)));
  const events = parseEvents(body);
  const error = events.find(({ event }) => event === 'error');
  const code = error === undefined ? null : (JSON.parse(error.data) as { code: string }).code;
  return { status, names: events.map(({ event = '' }) => event), code, complete };
}

function unchunked(bytes: Buffer): { body: string; complete: boolean } {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = end < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (Number.isNaN(size) || size === 0) return { body: String(Buffer.concat(parts)), complete: size === 0 };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
