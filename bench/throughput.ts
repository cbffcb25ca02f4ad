// P1 and P2: cached property reads compared with node:http alone, and with limits against without.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { interval, median } from './statistics.ts';
import { type Arm, load, startArm, startService, type Testbed } from './testbed.ts';

const ROUNDS = 7;
const SECONDS = 3;
/** Before the first round, so that V8 has compiled what each request runs. */
const WARM_UP_SECONDS = 10;
/** Never reached, but counted for each request. */
const COUNTED = { pro: { minute: 5_000_000, month: 1_000_000_000 } };
const UNCOUNTED = { pro: { minute: null, month: null } };

export interface Row {
  readonly name: string;
  readonly figure: string;
  readonly floor: string;
  readonly met: boolean;
}

/** A row of the table of results. */
export function formatRow({ name, figure, floor, met }: Row): string {
  const verdict = floor === '' ? '' : met ? 'yes' : 'no';
  return `| ${name} | ${figure} | ${floor} | ${verdict} |\n`;
}

export async function propertyAgainstRaw(testbed: Testbed): Promise<Row> {
  const ours = await startService(testbed, 'p1', COUNTED);
  const raw = await startRawProperty(testbed, 'p1', ours);
  const ratios = await compare(ours, raw, propertyRequest(testbed));
  await Promise.all([ours.stop(), raw.stop()]);
  return row('P1 cached property, ours / node:http', ratios, 0.35);
}

/** node:http alone, which sends the bytes that the service sends for a property. */
export async function startRawProperty(testbed: Testbed, name: string, ours: Arm): Promise<Arm> {
  const request = propertyRequest(testbed);
  const raw = await startRaw(testbed, name, await answerOf(ours, request));
  await requireSameBytes(ours, raw, request);
  return raw;
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
async function startRaw(testbed: Testbed, name: string, answer: Answer): Promise<Arm> {
  const file = join(testbed.folder, `${name}-answer.json`);
  await writeFile(file, JSON.stringify(answer));
  return startArm('raw.ts', { ANSWER: file });
}

/** Headers with times and counters differ between two responses of one server too; everything else must be equal. */
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

/** Limits add five headers, whose cost for node:http alone is measured too. */
export async function limitsOnAgainstOff(testbed: Testbed): Promise<Row[]> {
  const request = propertyRequest(testbed);
  const [on, off] = [
    await startService(testbed, 'on', COUNTED),
    await startService(testbed, 'off', UNCOUNTED),
  ];
  const [withHeaders, withoutHeaders] = [
    await startRaw(testbed, 'with-headers', await answerOf(on, request)),
    await startRaw(testbed, 'without-headers', await answerOf(off, request)),
  ];
  const ratios = await compare(on, off, request);
  const headersAlone = await compare(withHeaders, withoutHeaders, request);
  await Promise.all([on, off, withHeaders, withoutHeaders].map((arm) => arm.stop()));
  return [
    row('P2 the same, limits on / off', ratios, 0.85),
    row('P2 node:http with the headers of limits / without', headersAlone, null),
  ];
}

/** Written by Node itself for each connection. */
export const PER_CONNECTION = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding']);

interface Request {
  readonly path: string;
  readonly headers: Record<string, string>;
}

/** The property read that is measured. */
export function propertyRequest(testbed: Testbed): Request {
  return { path: `/v1/property/${testbed.ids[0]}`, headers: { authorization: `Bearer ${testbed.key}` } };
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
  await load(a, path, headers, WARM_UP_SECONDS);
  await load(b, path, headers, WARM_UP_SECONDS);
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
