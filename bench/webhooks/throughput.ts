// Deliveries of webhooks a second (P18): from the log to the hosts, against a loop of POSTs with the same body and signature.

import { compareWork, type Work, type WorkPair } from '../comparison.ts';
import { processorTime } from '../processor.ts';
import { type Arm, openTestbed, startArm } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { startEndpoints } from './endpoints.ts';
import { signatureOf } from './poster.ts';
import type { PostOrder } from './poster-arm.ts';
import { type Sample, type Sink, startSink } from './sink.ts';

const HOSTS = 100;
/** Events of each of them in a round, one after another. */
const EVENTS = 30;
const ROUNDS = 9;
const WARM_UP = 2;

/** P18. */
export async function deliveriesAgainstLoop(): Promise<Row[]> {
  const testbed = await openTestbed(0);
  const sink = await startSink();
  try {
    const endpoints = await startEndpoints(testbed, sink, HOSTS);
    const loop = await startArm('webhooks/poster-arm.ts', {});
    const urls = endpoints.watchers.map((_, no) => sink.url(no));
    const pairs: WorkPair[] = [];
    let sample: Sample | null = null;
    const ours = async (): Promise<Work> => {
      const [work, first] = await measure(endpoints.service, sink, () => endpoints.write(EVENTS));
      requireSignature(first);
      sample = first;
      return work;
    };
    const theirs = async (): Promise<Work> => {
      const order: PostOrder = { urls, times: EVENTS, body: sample?.body ?? '' };
      const [work, first] = await measure(loop, sink, () => postJson(loop.url, order));
      requireSignature(first);
      if (first.body !== sample?.body) throw new Error('The two sides send different bodies');
      return work;
    };
    await ours();
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const early = round % 2 === 0 ? await ours() : null;
      const pair = { theirs: await theirs(), ours: early ?? (await ours()) };
      if (round >= 0) pairs.push(pair);
    }
    await Promise.all([endpoints.service.stop(), loop.stop()]);
    const name = `P18: from the log to ${HOSTS} webhooks, ours / a loop of signed POSTs`;
    const bytes = Buffer.byteLength((sample as Sample | null)?.body ?? '');
    return compareWork(pairs, { name, floor: 0.6, count: HOSTS * EVENTS, bytes });
  } finally {
    sink.close();
    await testbed.close();
  }
}

async function measure(arm: Arm, sink: Sink, send: () => Promise<unknown>): Promise<[Work, Sample]> {
  const before = await processorTime(arm.pid);
  const { milliseconds, sample } = await sink.deliver(HOSTS * EVENTS, send);
  return [{ milliseconds, processor: (await processorTime(arm.pid)) - before }, sample];
}

async function postJson(url: string, order: PostOrder): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(order) });
  await answer.text();
}

/** A delivery without a valid signature is no delivery. */
function requireSignature({ headers, body }: Sample): void {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']].map(String);
  if (headers['webhook-signature'] !== signatureOf(id ?? '', timestamp ?? '', body))
    throw new Error('A delivery has no valid signature');
}
