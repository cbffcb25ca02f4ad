// Pages of events (P20), against the statements of a page alone.

import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestOptions } from 'node:http';
import { ratioRow } from '../comparison.ts';
import { median } from '../statistics.ts';
import { startArm, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { createFeedOwner, startFeedService } from './feed-owner.ts';

const PAGE = 100;
const PAGES = 500;

/** P20: pages a second of one reader. */
export async function eventPages(testbed: Testbed): Promise<Row[]> {
  const { key, send } = await createFeedOwner(testbed, 'p20');
  for (let change = 0; change < PAGE * 2; change++) await send();
  const service = await startFeedService(testbed, 'p20', 1);
  // On the same processor as the service, so that both are as far from the database.
  const statements = await startArm('feeds/statements-arm.ts', {
    DATABASE_URL: testbed.databaseUrl,
    OWNER: 'cus:p20',
    LIMIT: String(PAGE + 1),
  });
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${key}` };
  const page = () => textOf(`${service.url}/v1/events?limit=${PAGE}`, { agent, headers });
  const times: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < PAGES; round++)
    times.push({ ours: await timeOf(page), bare: Number(await textOf(statements.url, { agent })) });
  agent.destroy();
  await Promise.all([service.stop(), statements.stop()]);
  const [ours, bare] = [median(times.map((each) => each.ours)), median(times.map((each) => each.bare))];
  return [
    ratioRow(
      'P20: a page of events / its statements',
      times.map((each) => each.bare / each.ours),
      `${ours.toFixed(2)} and ${bare.toFixed(2)} ms for ${PAGE} events`,
      { min: 0.7 },
    ),
  ];
}

async function textOf(url: string, options: RequestOptions): Promise<string> {
  const request = get(url, options);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return text;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
