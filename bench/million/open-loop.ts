// Open-loop load: requests at random moments whatever the server does, each timed from when it was due.

import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

export interface Timed {
  /** Milliseconds from the moment a request was due to the last byte of its answer. */
  readonly took: readonly number[];
  /** The most that waited at once. */
  readonly deepest: number;
}

const CONNECTIONS = 64;

/** Sends so many requests a second, on average, for some seconds; paths are asked in turn. Throws at any failure. */
export async function openLoop(
  url: string,
  paths: readonly string[],
  headers: Record<string, string>,
  rate: number,
  seconds: number,
): Promise<Timed> {
  const { hostname, port } = new URL(url);
  const requests = requestsFor(url, paths, headers);
  const took: number[] = [];
  const line: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [sent, due, deepest, ended] = [0, 0, 0, false];
  const idle: Lane[] = [];
  const lanes = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openLane(hostname, Number(port), reject)),
  );
  idle.push(...lanes);
  const send = (lane: Lane, at: number): void => {
    const request = requests[sent++ % requests.length];
    if (!request) return;
    lane.ask(request, () => {
      took.push(now() - at);
      const next = line.shift();
      if (next === undefined) idle.push(lane);
      else send(lane, next);
      if (ended && took.length === due) resolve();
    });
  };
  const clock = new Worker(new URL('./metronome.ts', import.meta.url), { workerData: { rate, seconds } });
  clock.once('error', reject).on('message', (at: number | null) => {
    if (at === null) {
      ended = true;
      if (took.length === due) resolve();
      return;
    }
    due++;
    const lane = idle.pop();
    if (lane) send(lane, at);
    else line.push(at);
    deepest = Math.max(deepest, line.length + CONNECTIONS - idle.length);
  });
  await promise;
  for (const lane of lanes) lane.close();
  return { took, deepest };
}

/** Requests as they go over the wire. */
export function requestsFor(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
): Buffer[] {
  const given = Object.entries({ host: new URL(url).host, ...headers });
  const lines = given.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${lines}\r\n`));
}

/** Milliseconds on a clock that threads share. */
const now = (): number => performance.timeOrigin + performance.now();

interface Lane {
  ask(request: Buffer, answered: () => void): void;
  close(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const PIECE = 65_536;

/**
 * A connection that carries one request at a time. Whatever comes is read into the same memory: clearing away what it
 * left behind would keep this process from sending, and PostgreSQL from the core that both share.
 */
export function openLane(host: string, port: number, fail: (error: unknown) => void): Promise<Lane> {
  let answered: (() => void) | null = null;
  let begun: Buffer | null = null;
  let left = -1;
  const read = (bytes: number, memory: Uint8Array): boolean => {
    const piece = Buffer.from(memory.buffer, memory.byteOffset, bytes);
    if (left < 0) {
      const head: Buffer = begun === null ? piece : Buffer.concat([begun, piece]);
      const end = head.indexOf(HEAD_END);
      begun = end < 0 ? Buffer.from(head) : null;
      if (end < 0) return true;
      const text = head.toString('latin1', 0, end);
      const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
      if (!text.startsWith('HTTP/1.1 200') || length === undefined) {
        fail(new Error(head.toString()));
        return false;
      }
      left = Number(length) - (head.length - end - HEAD_END.length);
    } else left -= bytes;
    if (left > 0) return true;
    left = -1;
    const done = answered;
    answered = null;
    done?.();
    return true;
  };
  return new Promise((resolve, reject) => {
    const onread = { buffer: Buffer.alloc(PIECE), callback: read };
    const socket: Socket = connect({ host, port, noDelay: true, onread }, () =>
      resolve({
        ask(request, then) {
          answered = then;
          socket.write(request);
        },
        close: () => socket.destroy(),
      }),
    );
    socket.once('error', reject).on('error', fail);
  });
}
