// Owns P7: how soon the first event of a stream is there, against node:http sending the same bytes as a constant.

import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Arm, type Stand, startArm, startService } from './stand.ts';
import { interval, median, percentile } from './statistics.ts';
import type { Row } from './throughput.ts';

const ROUNDS = 9;
const STREAMS = 600;
/** Milliseconds between two arrivals, whatever has been answered by then. */
const APART = 3;
const TIERS = { pro: { minute: 5_000_000, month: 1_000_000_000, streams: 10_000 } };

export async function timeToCached(stand: Stand): Promise<Row[]> {
  const ours = await startService(stand, 'p7', TIERS);
  const path = `/v1/listing/${stand.ids[0]}`;
  const file = join(stand.folder, 'p7-answer.json');
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' };
  const body = eventOf((await arrive(await open(ours), ours, path, stand.key)).text);
  await writeFile(file, JSON.stringify({ headers, body, stream: true }));
  const raw = await startArm('raw.ts', { ANSWER: file });
  for (const arm of [ours, raw, ours, raw]) await measure(arm, path, stand.key);
  const ratios = { 0.5: [] as number[], 0.99: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const times = new Map<Arm, number[]>();
    for (const arm of round % 2 === 0 ? [ours, raw] : [raw, ours])
      times.set(arm, await measure(arm, path, stand.key));
    for (const share of [0.5, 0.99] as const) {
      ratios[share].push(percentile(times.get(ours) ?? [], share) / percentile(times.get(raw) ?? [], share));
    }
  }
  await Promise.all([ours.stop(), raw.stop()]);
  return ([0.5, 0.99] as const).map((share) => row(share, ratios[share]));
}

function row(share: 0.5 | 0.99, ratios: readonly number[]): Row {
  const most = share === 0.5 ? 1.25 : 2;
  const [low, high] = interval(ratios);
  const figure = `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  const name = `P7 time to the cached event, ours / node:http, p${share * 100}`;
  return { name, figure, floor: `<= ${most.toFixed(2)}`, met: median(ratios) <= most };
}

/** Arrivals at fixed times; each on a connection of its own that is made before, and so not counted. */
async function measure(arm: Arm, path: string, key: string): Promise<number[]> {
  const from = performance.now();
  const arrivals = Array.from({ length: STREAMS }, async (_, index) => {
    await until(from + index * APART);
    const socket = await open(arm);
    await until(from + index * APART + 30);
    return (await arrive(socket, arm, path, key)).milliseconds;
  });
  return Promise.all(arrivals);
}

function until(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())));
}

function open(arm: Arm): Promise<Socket> {
  const { hostname, port } = new URL(arm.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.setNoDelay(true).once('error', reject);
  });
}

/** Asks for a stream and leaves after its first event. */
function arrive(
  socket: Socket,
  arm: Arm,
  path: string,
  key: string,
): Promise<{ milliseconds: number; text: string }> {
  return new Promise((resolve) => {
    let text = '';
    const from = performance.now();
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const start = text.indexOf('event: cached');
      if (start < 0 || text.indexOf('\n\n', start) < 0) return;
      socket.destroy();
      resolve({ milliseconds: performance.now() - from, text });
    });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${new URL(arm.url).host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  });
}

/** The first event alone, without the head and the chunk sizes around it. */
function eventOf(text: string): string {
  const event = text.indexOf('event: cached');
  return text.slice(text.lastIndexOf('id: ', event), text.indexOf('\n\n', event) + 2);
}
