// P1 and P2: cached property reads against node:http alone, and with limits against without.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Arm, load, type Stand, startArm, startService } from './stand.ts';
import { interval, median } from './statistics.ts';

const ROUNDS = 7;
const SECONDS = 3;
/** So large that they are never met, and still counted for each request. */
const COUNTED = { pro: { minute: 5_000_000, month: 1_000_000_000 } };
const UNCOUNTED = { pro: { minute: null, month: null } };

export interface Row {
  readonly name: string;
  readonly figure: string;
  readonly floor: string;
  readonly met: boolean;
}

export async function propertyAgainstRaw(stand: Stand): Promise<Row> {
  const ours = await startService(stand, 'p1', COUNTED);
  const request = requestOf(stand);
  const raw = await startRaw(stand, 'p1', await answerOf(ours, request));
  await requireSameBytes(ours, raw, request);
  const ratios = await compare(ours, raw, request);
  await Promise.all([ours.stop(), raw.stop()]);
  return row('P1 cached property, ours / node:http', ratios, 0.7);
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function answerOf({ url }: Arm, { path, headers }: Request): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, { headers });
  const own = [...answer.headers].filter(([name]) => !PER_CONNECTION.has(name));
  return { headers: Object.fromEntries(own), body: await answer.text() };
}

/** node:http alone, giving this answer. */
async function startRaw(stand: Stand, name: string, answer: Answer): Promise<Arm> {
  const file = join(stand.folder, `${name}-answer.json`);
  await writeFile(file, JSON.stringify(answer));
  return startArm('raw.ts', { ANSWER: file });
}

/** What tells the time or counts differs between two answers of one server too; all else must be the same bytes. */
async function requireSameBytes(ours: Arm, raw: Arm, { path, headers }: Request): Promise<void> {
  const [left, right] = await Promise.all(
    [ours, raw].map(async ({ url }) => {
      const answer = await fetch(`${url}${path}`, { headers });
      const body = (await answer.text()).replace(/"cacheAgeSeconds":\d+/, '');
      return `${[...answer.headers.keys()].join()}\n${body}`;
    }),
  );
  if (left !== right) throw new Error(`The two arms of P1 do not send the same bytes:\n${left}\n${right}`);
}

/** With limits come five headers that tell them; what those alone cost node:http is measured beside. */
export async function limitsOnAgainstOff(stand: Stand): Promise<Row[]> {
  const request = requestOf(stand);
  const [on, off] = [await startService(stand, 'on', COUNTED), await startService(stand, 'off', UNCOUNTED)];
  const [told, untold] = [
    await startRaw(stand, 'told', await answerOf(on, request)),
    await startRaw(stand, 'untold', await answerOf(off, request)),
  ];
  const ratios = await compare(on, off, request);
  const headersAlone = await compare(told, untold, request);
  await Promise.all([on, off, told, untold].map((arm) => arm.stop()));
  return [
    row('P2 the same, limits on / off', ratios, 0.9),
    row('P2 node:http with the headers of limits / without', headersAlone, null),
  ];
}

/** Written by Node itself for each connection. */
export const PER_CONNECTION = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding']);

interface Request {
  readonly path: string;
  readonly headers: Record<string, string>;
}

function requestOf(stand: Stand): Request {
  return { path: `/v1/property/${stand.ids[0]}`, headers: { authorization: `Bearer ${stand.key}` } };
}

/**
 * Ratios of requests for each second of processor, which are also ratios of throughput while both arms keep their core
 * busy. The order turns in every round, so that a slow drift of the machine falls on both.
 */
async function compare(a: Arm, b: Arm, { path, headers }: Request): Promise<number[]> {
  const measure = async (arm: Arm): Promise<number> => {
    const { requests, processor } = await load(arm, path, headers, SECONDS);
    return requests / processor;
  };
  await Promise.all([load(a, path, headers, 2), load(b, path, headers, 2)]);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % 2 === 0 ? [a, b, b, a] : [b, a, a, b];
    const sums = new Map<Arm, number>();
    for (const arm of first) sums.set(arm, (sums.get(arm) ?? 0) + (await measure(arm)));
    ratios.push((sums.get(a) ?? 0) / (sums.get(b) ?? 1));
  }
  return ratios;
}

function row(name: string, ratios: readonly number[], floor: number | null): Row {
  const [low, high] = interval(ratios);
  const figure = `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  if (floor === null) return { name, figure, floor: '', met: true };
  return { name, figure, floor: `>= ${floor.toFixed(2)}`, met: median(ratios) >= floor };
}
