// P7: time to the first event of a stream, compared with node:http sending the same bytes.

import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { interval, median, percentile } from './statistics.ts';
import { type Arm, load, startArm, startService, type Testbed } from './testbed.ts';
import { PER_CONNECTION, type Row } from './throughput.ts';

const ROUNDS = 9;
/** As long under full load as it takes until all code on the way is compiled. */
const WARM_SECONDS = 5;
const STREAMS = 600;
const FIRST_EVENT = /event: cached\n.*\n\n/;
const LAST_CHUNK = '\r\n0\r\n\r\n';
/** Milliseconds between two arrivals, whatever has been answered by then. */
const APART = 3;
/** How long before its request a connection is made: not when another one asks, so that no accept stands in its way. */
const AHEAD = 10.5 * APART;
const TIERS = { pro: { minute: 5_000_000, month: 1_000_000_000, streams: 10_000 } };

export async function timeToCached(testbed: Testbed): Promise<Row[]> {
  const ours = await startService(testbed, 'p7', TIERS);
  const path = `/v1/listing/${testbed.ids[0]}`;
  const raw = await startRawStream(testbed, 'p7', ours, path);
  const bare = await startRawStream(testbed, 'p7', ours, path, 'fastify.ts');
  const arms = [ours, raw, bare];
  for (const arm of arms) await load(arm, path, { authorization: `Bearer ${testbed.key}` }, WARM_SECONDS);
  for (const arm of [...arms, ...arms]) await measureStreams(arm, path, testbed.key);
  const rounds: Map<Arm, number[]>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const times = new Map<Arm, number[]>();
    for (const arm of round % 2 === 0 ? arms : arms.toReversed())
      times.set(arm, await measureStreams(arm, path, testbed.key));
    rounds.push(times);
  }
  await Promise.all(arms.map((arm) => arm.stop()));
  const ratios = (arm: Arm, share: number) =>
    rounds.map((times) => percentile(times.get(arm) ?? [], share) / percentile(times.get(raw) ?? [], share));
  return [
    row('ours / node:http, p50', ratios(ours, 0.5), 1.8),
    row('ours / node:http, p99', ratios(ours, 0.99), 3),
    row('Fastify alone / node:http, p50', ratios(bare, 0.5), null),
    row('Fastify alone / node:http, p99', ratios(bare, 0.99), null),
  ];
}

/** A server that sends the bytes of this stream of the service, of node:http alone or of another program. */
export async function startRawStream(
  testbed: Testbed,
  name: string,
  ours: Arm,
  path: string,
  program = 'raw.ts',
): Promise<Arm> {
  const file = join(testbed.folder, `${name}-answer.json`);
  const { text } = await arrive(await open(ours), ours, path, testbed.key);
  await writeFile(file, JSON.stringify({ headers: headersOf(text), body: eventsOf(text) }));
  const raw = await startArm(program, { ANSWER: file });
  requireSameBytes(text, (await arrive(await open(raw), raw, path, testbed.key)).text);
  return raw;
}

function row(arms: string, ratios: readonly number[], max: number | null): Row {
  const [low, high] = interval(ratios);
  const figure = `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  const name = `P7 time to the cached event, ${arms}`;
  if (max === null) return { name, figure, floor: '', met: true };
  return { name, figure, floor: `<= ${max.toFixed(2)}`, met: median(ratios) <= max };
}

/** Arrivals at fixed times; each on a connection of its own that is made before, and so not counted. */
export async function measureStreams(arm: Arm, path: string, key: string): Promise<number[]> {
  const from = performance.now();
  const arrivals = Array.from({ length: STREAMS }, async (_, index) => {
    await until(from + index * APART);
    const socket = await open(arm);
    await until(from + index * APART + AHEAD);
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

/** Asks for a stream and reads it to its end; the time is that of its first event. */
function arrive(
  socket: Socket,
  arm: Arm,
  path: string,
  key: string,
): Promise<{ milliseconds: number; text: string }> {
  return new Promise((resolve) => {
    let text = '';
    let milliseconds = 0;
    const from = performance.now();
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (milliseconds === 0 && FIRST_EVENT.test(text)) milliseconds = performance.now() - from;
      if (!text.endsWith(LAST_CHUNK)) return;
      socket.destroy();
      resolve({ milliseconds, text });
    });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${new URL(arm.url).host}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  });
}

/** The headers of an answer that node:http does not write by itself for each connection. */
function headersOf(text: string): Record<string, string> {
  const [, ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)] as const;
  });
  return Object.fromEntries(headers.filter(([name]) => !PER_CONNECTION.has(name)));
}

/** The events, each as a piece of its own; `retry` belongs to the first. */
function eventsOf(text: string): readonly string[] {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4).replaceAll(/[0-9a-f]+\r\n(.*?)\r\n/gs, '$1');
  const [retry, ...events] = body.split(/(?<=\n\n)/);
  return [`${retry}${events[0]}`, ...events.slice(1)];
}

/** Each request has an id of its own, and the record tells its age: all else must be the same. */
function requireSameBytes(ours: string, raw: string): void {
  const timeless = (text: string) =>
    JSON.stringify([Object.keys(headersOf(text)), eventsOf(text)]).replaceAll(
      /req_[\w-]+|cacheAgeSeconds\W+\d+/g,
      '',
    );
  const [left, right] = [timeless(ours), timeless(raw)];
  if (left !== right) throw new Error(`The two arms of P7 do not send the same bytes:\n${left}\n${right}`);
}
