// Memory of a service with agents: at rest, with the first, and with many that call and hold a subscription each.

import { MEGABYTE, resident } from '../memory.ts';
import { type Arm, startService, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { createMessage, type Message, send } from './message.ts';

const AGENTS = 200;
const MINUTES = Number(process.env.BENCH_MINUTES ?? 10);
/** Milliseconds between two calls of one agent. */
const PAUSE = 1_000;
const LIMITS = { pro: { minute: 5_000_000, month: 1_000_000_000, feeds: AGENTS } };

export async function memoryOfAgents(testbed: Testbed): Promise<Row[]> {
  const { key, ids } = testbed;
  const [agents, rest] = [
    await startService(testbed, 'agents', LIMITS),
    await startService(testbed, 'rest', LIMITS),
  ];
  const atRest = await resident(agents);
  const call = createMessage(key, 'tools/call', { name: 'get_property', arguments: { id: ids[0] } });
  await send(agents, call);
  const first = await resident(agents);
  const leaving = new AbortController();
  await Promise.all(
    Array.from({ length: AGENTS }, (_, at) =>
      subscribe(agents, key, `listing://${ids[at % ids.length]}`, leaving.signal),
    ),
  );
  const headers = { authorization: `Bearer ${key}` };
  const byRest = async () => (await fetch(`${rest.url}/v1/property/${ids[0]}`, { headers })).text();
  const [weights, restWeights] = await Promise.all([
    watch(agents, () => send(agents, call)),
    watch(rest, byRest),
  ]);
  leaving.abort();
  await Promise.all([agents.stop(), rest.stop()]);
  const name = `mcp: memory with ${AGENTS} agents that call each second and hold a subscription`;
  const more = (weights.at(-1) ?? 0) - (restWeights.at(-1) ?? 0);
  return [
    {
      name: 'mcp: memory at rest, and after the first call',
      figure: `${show([atRest, first])} MB`,
      floor: '',
      met: true,
    },
    {
      name: `${name}, each minute`,
      figure: `${show(weights)} MB; the same calls by REST ${show(restWeights)} MB`,
      floor: '<= 60 MB more',
      met: more <= 60 * MEGABYTE,
    },
  ];
}

const show = (weights: readonly number[]): string =>
  weights.map((bytes) => (bytes / MEGABYTE).toFixed(0)).join(', ');

/** Calls for some minutes; resident bytes after each. */
async function watch(arm: Arm, call: () => Promise<unknown>): Promise<number[]> {
  const weights: number[] = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    const end = performance.now() + 60_000;
    await Promise.all(Array.from({ length: AGENTS }, (_, at) => callUntil(end, at, call)));
    weights.push(await resident(arm));
  }
  return weights;
}

async function callUntil(end: number, agent: number, call: () => Promise<unknown>): Promise<void> {
  await pause((agent / AGENTS) * PAUSE);
  while (performance.now() < end) {
    await call();
    await pause(PAUSE);
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Opens a stream of updates; resolves once it is acknowledged. It is read until the signal aborts. */
async function subscribe({ url }: Arm, key: string, uri: string, signal: AbortSignal): Promise<void> {
  const { headers, body }: Message = createMessage(key, 'subscriptions/listen', {
    notifications: { resourceSubscriptions: [uri] },
  });
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body, signal });
  const reader = answer.body?.getReader();
  if (!answer.ok || reader === undefined) throw new Error(`${answer.status} ${await answer.text()}`);
  await reader.read();
  readOn(reader).catch(() => {});
}

async function readOn(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}
