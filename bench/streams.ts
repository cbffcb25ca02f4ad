// Owns P7 and P8: how soon a stream's first event is there, and how often a thousand streams ask the source.

import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Arm, type Stand, startArm, startService } from './stand.ts';
import { percentile } from './statistics.ts';
import type { Row } from './throughput.ts';

const ROUNDS = 7;
const STREAMS = 150;
const TIERS = { pro: { minute: 5_000_000, month: 1_000_000_000, streams: 10_000 } };

export async function timeToCached(stand: Stand): Promise<Row[]> {
  const ours = await startService(stand, 'p7', TIERS);
  const path = `/v1/listing/${stand.ids[0]}`;
  const first = await firstEvent(ours, path, stand.key);
  const file = join(stand.folder, 'p7-answer.json');
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' };
  await writeFile(file, JSON.stringify({ headers, body: first.text, stream: true }));
  const raw = await startArm('raw.ts', { ANSWER: file });
  const times = new Map<Arm, number[]>([
    [ours, []],
    [raw, []],
  ]);
  for (const arm of [ours, raw]) await measure(arm, path, stand.key);
  for (let round = 0; round < ROUNDS; round++) {
    for (const arm of round % 2 === 0 ? [ours, raw] : [raw, ours]) {
      times.get(arm)?.push(...(await measure(arm, path, stand.key)));
    }
  }
  await Promise.all([ours.stop(), raw.stop()]);
  return [0.5, 0.99].map((share) => {
    const ratio = percentile(times.get(ours) ?? [], share) / percentile(times.get(raw) ?? [], share);
    const most = share === 0.5 ? 1.25 : 2;
    const name = `P7 time to the cached event, ours / node:http, p${share * 100}`;
    return { name, figure: ratio.toFixed(2), floor: `<= ${most.toFixed(2)}`, met: ratio <= most };
  });
}

async function measure(arm: Arm, path: string, key: string): Promise<number[]> {
  const times: number[] = [];
  for (let stream = 0; stream < STREAMS; stream++)
    times.push((await firstEvent(arm, path, key)).milliseconds);
  return times;
}

/** Opens a stream on a connection of its own and leaves after its first event; the connection's making is not counted. */
function firstEvent(arm: Arm, path: string, key: string): Promise<{ milliseconds: number; text: string }> {
  const { hostname, port } = new URL(arm.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    let from = 0;
    socket.once('connect', () => {
      from = performance.now();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    });
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\n\n', text.indexOf('event: cached'));
      if (!text.includes('event: cached') || end < 0) return;
      const milliseconds = performance.now() - from;
      socket.destroy();
      // The event alone, without the head and the chunk sizes around it.
      const start = text.indexOf('id: ');
      resolve({ milliseconds, text: text.slice(start, end + 2) });
    });
    socket.once('error', reject);
  });
}
