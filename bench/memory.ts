// Memory of the service: at rest, per open stream, and its growth over many streams.

import { readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { startSource, startWithSource } from './coalescing.ts';
import { type Arm, startArm, type Testbed } from './testbed.ts';
import type { Row } from './throughput.ts';

/** As many as a source's silence of eight seconds leaves time to open and to weigh. */
const STREAMS = 2_000;
const SOAK_ROUNDS = 12;
export const MEGABYTE = 2 ** 20;

export async function memory(testbed: Testbed): Promise<Row[]> {
  await using source = await startSource();
  const { arm, path } = await startWithSource(testbed, 'memory', source);
  const rest = await resident(arm);
  source.upstream.faults.entity = () => {};
  const ours = await perStream(arm, path, testbed.key);
  const file = join(testbed.folder, 'memory-answer.json');
  const body = 'event: cached\n\n';
  const headers = { 'content-type': 'text/event-stream' };
  await writeFile(file, JSON.stringify({ headers, body, stream: true }));
  const raw = await startArm('raw.ts', { ANSWER: file });
  const bare = await perStream(raw, path, testbed.key);
  delete source.upstream.faults.entity;
  const growth = await soak(arm, path, testbed.key);
  await Promise.all([arm.stop(), raw.stop()]);
  return [
    note('Memory at rest', `${(rest / MEGABYTE).toFixed(0)} MB resident`),
    note(
      `Memory of each of ${STREAMS} open streams, ours / node:http`,
      `${(ours / bare).toFixed(2)} (${(ours / 1024).toFixed(1)} KB and ${(bare / 1024).toFixed(1)} KB)`,
    ),
    note(
      `Soak: heap in use after ${SOAK_ROUNDS} rounds of ${STREAMS} streams`,
      `${growth.map((bytes) => (bytes / MEGABYTE).toFixed(1)).join(', ')} MB`,
    ),
  ];
}

const note = (name: string, figure: string): Row => ({ name, figure, floor: '', met: true });

/** Resident bytes that each open stream adds to as many that stay open: the first ones also bring code and pools. */
async function perStream(arm: Arm, path: string, key: string): Promise<number> {
  const first = await openStreams(arm, path, key, STREAMS);
  const before = await resident(arm);
  const second = await openStreams(arm, path, key, STREAMS);
  const bytes = (await resident(arm)) - before;
  close([...first, ...second]);
  return bytes / STREAMS;
}

/** The heap in use as the service tells it, after every third round. */
async function soak(arm: Arm, path: string, key: string): Promise<number[]> {
  const heaps: number[] = [];
  for (let round = 1; round <= SOAK_ROUNDS; round++) {
    close(await openStreams(arm, path, key, STREAMS));
    if (round % 3 > 0) continue;
    await collected(arm.pid);
    heaps.push(await heapInUse(arm));
  }
  return heaps;
}

async function openStreams(arm: Arm, path: string, key: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 100) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => openStream(arm, path, key)))));
  }
  return sockets;
}

function openStream(arm: Arm, path: string, key: string): Promise<Socket> {
  const { host, hostname, port } = new URL(arm.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    });
    socket.once('error', reject).on('data', (chunk: Buffer) => {
      if (chunk.includes('event: cached')) resolve(socket);
    });
  });
}

/** Has the garbage collected, and waits until that is surely done. */
async function collected(pid: number): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await new Promise((resolve) => setTimeout(resolve, 500));
}

function close(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

/** What is left once nothing that could go is still there. */
export async function resident({ pid }: Arm): Promise<number> {
  await collected(pid);
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** As the service tells it. */
export async function heapInUse({ url }: Arm): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1] ?? Number.NaN);
}
