// Process of readers: many open feeds of one server, which tell when all of them have got an event.

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReaderAnswer, ReaderOrder } from './readers.ts';

/** All readers read into it: what they got is looked at before the next one reads. */
const buffer = Buffer.alloc(65_536);
const HEAD_END = '\r\n\r\n';
/** Of an event in a chunk of the body, or in a body without chunks. */
const EVENT_END = /\n\n(?:\r\n)?$/;
/** Connections that are opened at once. */
const AT_ONCE = 50;
/** Milliseconds before a reader that was refused, since the service is busy opening others, comes back. */
const RETRY = 500;
const MAX_TRIES = 20;

interface Round {
  left: number;
  first: number;
  /** What the first reader got. */
  text: string;
}

let round: Round | null = null;
const sockets: Socket[] = [];
const send = (answer: ReaderAnswer): void => void process.send?.(answer);

function openReader(host: string, port: number, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOpen = false;
    let text = '';
    const onread = {
      buffer,
      callback(bytes: number): boolean {
        // Whole events come in one piece, but for the rare one that two reads share.
        const chunk = text + buffer.toString('latin1', 0, bytes);
        text = '';
        if (!isOpen) {
          text = chunk;
          if (!chunk.includes(HEAD_END)) return true;
          if (!chunk.startsWith('HTTP/1.1 200')) {
            reject(new Error(`A feed was refused: ${chunk}`));
            socket.destroy();
            return false;
          }
          isOpen = true;
          text = '';
          sockets.push(socket);
          resolve();
        } else if (!EVENT_END.test(chunk)) text = chunk;
        else if (chunk.includes('data:')) arrive(chunk);
        return true;
      },
    };
    const socket = connect({ host, port, onread });
    socket.once('error', reject).once('close', () => reject(new Error('A feed was closed')));
    socket.write(request);
  });
}

async function openPatiently(host: string, port: number, request: string, tries = 1): Promise<void> {
  try {
    await openReader(host, port, request);
  } catch (error) {
    if (tries === MAX_TRIES) throw error;
    await sleep(RETRY);
    await openPatiently(host, port, request, tries + 1);
  }
}

function arrive(text: string): void {
  if (round === null) return;
  const now = performance.now();
  if (round.text === '') [round.first, round.text] = [now, text];
  round.left -= 1;
  if (round.left > 0) return;
  send({ kind: 'delivered', milliseconds: now - round.first, text: round.text });
  round = null;
}

process.on('message', async (order: ReaderOrder) => {
  if (order.kind === 'expect') {
    round = { left: sockets.length, first: 0, text: '' };
    send({ kind: 'ready' });
    return;
  }
  const { hostname, port } = new URL(order.url);
  for (let opened = 0; opened < order.count; opened += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, order.count - opened) }, () =>
        openPatiently(hostname, Number(port), order.request),
      ),
    );
  send({ kind: 'ready' });
});
process.once('disconnect', () => process.exit(0));
