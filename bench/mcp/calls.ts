// P21: calls of tools, against the SDK's own server giving the same bytes, and against the same questions over REST.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ratioRow } from '../comparison.ts';
import { compared, inTurns, type Rounds } from '../oauth/load.ts';
import { median } from '../statistics.ts';
import { type Arm, load, startArm, startService, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { createMessage, loadMessage, type Message, send } from './message.ts';

const SECONDS = 2;
/** Before the first round, so that V8 has compiled what each call runs. */
const WARM_UP_SECONDS = 10;
/** Never reached, but counted for each call. */
const COUNTED = { pro: { minute: 5_000_000, month: 1_000_000_000 } };
const FILTERS = { city: 'Springfield', minBedrooms: 2, limit: 10 };
const CALLS = 300;

export async function callsOfTools(testbed: Testbed): Promise<Row[]> {
  const { key, ids } = testbed;
  const service = await startService(testbed, 'p21', COUNTED);
  const property = { path: `/v1/property/${ids[0]}`, call: toolCall(key, 'get_property', { id: ids[0] }) };
  const query = new URLSearchParams(Object.entries(FILTERS).map(([name, value]) => [name, String(value)]));
  const search = { path: `/v1/search/sales?${query}`, call: toolCall(key, 'search_sales', FILTERS) };
  const list = createMessage(key, 'tools/list', {});
  const rows = [
    await againstSdk(testbed, service, property.call, list),
    ...(await againstRest(testbed, service, 'a remembered property', property, null)),
    ...(await againstRest(testbed, service, 'a search page', search, 0.5)),
    await listing(testbed, service, list),
  ];
  await service.stop();
  return rows;
}

const toolCall = (key: string, name: string, args: Readonly<Record<string, unknown>>): Message =>
  createMessage(key, 'tools/call', { name, arguments: args });

/** Ours on top of the SDK: key, limits, arguments, handler, projection, text. */
async function againstSdk(testbed: Testbed, service: Arm, call: Message, list: Message): Promise<Row> {
  const answer = join(testbed.folder, 'p21-answer.json');
  const [result, tools] = [await send(service, call), await send(service, list)];
  await writeFile(answer, JSON.stringify({ result, list: tools }));
  const sdk = await startArm('mcp/sdk-arm.ts', { ANSWER: answer });
  const theirs = await send(sdk, call);
  if (bytesOf(theirs) !== bytesOf(result)) throw new Error('The two arms of P21 do not send the same bytes');
  for (const arm of [service, sdk]) await loadMessage(testbed, arm, call, WARM_UP_SECONDS);
  const rounds = await inTurns(loading(testbed, service, call), loading(testbed, sdk, call));
  await sdk.stop();
  return byProcessor('P21 call of a tool, ours / the SDK giving the same bytes', rounds, 0.5);
}

const loading = (testbed: Testbed, arm: Arm, message: Message) => () =>
  loadMessage(testbed, arm, message, SECONDS);

/** The result without what differs between two calls: who serves it, and when. */
function bytesOf({ _meta: _, ...result }: Record<string, unknown>): string {
  return JSON.stringify(result);
}

/** Calls for each second of the server's processor. */
function byProcessor(name: string, { ours, theirs }: Rounds, min: number): Row {
  const cost = (loads: Rounds['ours']) => median(loads.map((each) => (each.processor / each.requests) * 1e6));
  const ratios = ours.map((each, at) => {
    const other = theirs[at] ?? each;
    return each.requests / each.processor / (other.requests / other.processor);
  });
  const more = `${cost(ours).toFixed(0)} and ${cost(theirs).toFixed(0)} µs of processor each`;
  return ratioRow(name, ratios, more, { min });
}

interface Question {
  readonly path: string;
  readonly call: Message;
}

async function againstRest(
  testbed: Testbed,
  service: Arm,
  name: string,
  { path, call }: Question,
  floor: number | null,
): Promise<Row[]> {
  const headers = { authorization: `Bearer ${testbed.key}` };
  const rounds = await inTurns(loading(testbed, service, call), () => load(service, path, headers, SECONDS));
  const row = compared(`P21 ${name}, by tool / by REST`, rounds, floor ?? 0);
  const [tool, rest] = await latencies(service, call, `${service.url}${path}`, headers);
  const figure = `${tool.toFixed(2)} and ${rest.toFixed(2)} ms`;
  return [
    floor === null ? { ...row, floor: '' } : row,
    { name: `P21 ${name}, p50 by tool and by REST, one caller`, figure, floor: '', met: true },
  ];
}

async function latencies(
  service: Arm,
  call: Message,
  url: string,
  headers: Record<string, string>,
): Promise<[tool: number, rest: number]> {
  const times: { tool: number[]; rest: number[] } = { tool: [], rest: [] };
  for (let round = 0; round < CALLS; round++) {
    times.tool.push(await timeOf(() => send(service, call)));
    times.rest.push(await timeOf(async () => (await fetch(url, { headers })).text()));
  }
  return [median(times.tool), median(times.rest)];
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function listing(testbed: Testbed, service: Arm, list: Message): Promise<Row> {
  const result = await send(service, list);
  const { requests, processor } = await loadMessage(testbed, service, list, SECONDS);
  const kilobytes = Math.round(JSON.stringify(result).length / 1_000);
  const figure = `${((processor / requests) * 1e6).toFixed(0)} µs of processor, ${kilobytes} kB, cached for ${Number(result.ttlMs) / 60_000} minutes`;
  return { name: 'P21 list of tools', figure, floor: '', met: true };
}
