// An event to many feeds: against a loop of writes (P9), better-sse and @fastify/sse (P10), and nginx with nchan (P11).

import { compareWork, type Work } from '../comparison.ts';
import { processorTime } from '../processor.ts';
import { type Arm, startArm, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { createFeedOwner, type FeedOwner, startFeedService } from './feed-owner.ts';
import { nchanMissing, startNchan } from './nchan.ts';
import { openReaders, type Readers } from './readers.ts';

const FEEDS = 5_000;
const LOOP_FEEDS = [5_000, 15_000];
const ROUNDS = 15;
/** Rounds before the first that counts. */
const WARM_UP = 3;

interface Server {
  readonly arm: Arm;
  /** Has an event sent; the service makes one of its own. */
  send(event: SentEvent): Promise<unknown>;
}

interface Side extends Server {
  readonly readers: Readers;
}

/** An event on the wire, and its parts. */
interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
  readonly text: string;
}

/** P10. */
export async function fanOutAgainstLibraries(testbed: Testbed): Promise<Row[]> {
  const ours = await startOurs(testbed, 'p10', FEEDS);
  const rows: Row[] = [];
  for (const [name, program] of LIBRARIES) {
    const arm = await startArm(program, {});
    const send = (event: SentEvent) => post(arm.url, JSON.stringify(event), 'application/json');
    rows.push(
      ...(await compare(ours, { arm, send }, FEEDS, `P10: an event to 5,000 feeds, ours / ${name}`, 3)),
    );
    await arm.stop();
  }
  await ours.arm.stop();
  return rows;
}

const LIBRARIES = [
  ['better-sse', 'feeds/better-sse-arm.ts'],
  ['@fastify/sse', 'feeds/fastify-sse-arm.ts'],
] as const;

/** P11. */
export async function fanOutAgainstNchan(testbed: Testbed): Promise<Row[]> {
  const name = 'P11: an event to 5,000 feeds, ours / nchan';
  const missing = nchanMissing();
  if (missing !== null) return [{ name, figure: `skipped: ${missing}`, floor: '>= 0.40', met: false }];
  const ours = await startOurs(testbed, 'p11', FEEDS);
  const arm = await startNchan(testbed.folder, FEEDS * 2);
  const send = ({ event, data }: SentEvent) =>
    post(arm.url, JSON.stringify(data), 'application/json', { 'x-eventsource-event': event });
  const rows = await compare(ours, { arm, send }, FEEDS, name, 0.4);
  await Promise.all([ours.arm.stop(), arm.stop()]);
  return rows;
}

/** P9. */
export async function fanOutAgainstLoop(testbed: Testbed): Promise<Row[]> {
  const ours = await startOurs(
    testbed,
    'p9',
    LOOP_FEEDS.reduce((sum, feeds) => sum + feeds),
  );
  const arm = await startArm('feeds/raw-arm.ts', {});
  const send = ({ text }: SentEvent) => post(arm.url, text, 'text/plain');
  const rows: Row[] = [];
  for (const feeds of LOOP_FEEDS) {
    const name = `P9: an event to ${feeds.toLocaleString('en')} feeds, ours / a loop of socket.write`;
    rows.push(...(await compare(ours, { arm, send }, feeds, name, 0.8)));
  }
  await Promise.all([ours.arm.stop(), arm.stop()]);
  return rows;
}

async function startOurs(testbed: Testbed, name: string, feeds: number): Promise<Server & FeedOwner> {
  const owner = await createFeedOwner(testbed, name);
  return { ...owner, arm: await startFeedService(testbed, name, feeds) };
}

async function post(
  url: string,
  body: string,
  type: string,
  more: Record<string, string> = {},
): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': type, ...more } });
  await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
}

/** What a delivery took between the first reader and the last, and what came. */
interface Delivery extends Work {
  readonly text: string;
}

async function deliver({ arm, readers, send }: Side, event: SentEvent): Promise<Delivery> {
  const before = await processorTime(arm.pid);
  const { milliseconds, text } = await readers.deliver(() => send(event));
  return { milliseconds, text, processor: (await processorTime(arm.pid)) - before };
}

/** The rows of one comparison: by time and by processor. The floor is for the one that the servers decide. */
async function compare(
  service: Server & FeedOwner,
  peer: Server,
  feeds: number,
  name: string,
  floor: number,
): Promise<Row[]> {
  const open = async ({ arm, send }: Server): Promise<Side> => {
    const readers = await openReaders(arm.url, service.key, feeds);
    return { arm, send, readers };
  };
  const [ours, theirs] = [await open(service), await open(peer)];
  const pairs: { readonly ours: Delivery; readonly theirs: Delivery }[] = [];
  let event = parseEvent((await deliver(ours, NO_EVENT)).text);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const deliveries = new Map<Side, Delivery>();
    for (const side of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
      const delivery = await deliver(side, event);
      deliveries.set(side, delivery);
      if (side === ours) event = parseEvent(delivery.text);
      else requireSame(event, parseEvent(delivery.text));
    }
    const pair = { ours: deliveries.get(ours), theirs: deliveries.get(theirs) };
    if (round >= 0 && pair.ours && pair.theirs) pairs.push({ ours: pair.ours, theirs: pair.theirs });
  }
  ours.readers.close();
  theirs.readers.close();
  return compareWork(pairs, { name, floor, count: feeds, bytes: Buffer.byteLength(event.text) });
}

const NO_EVENT: SentEvent = { id: '', event: '', data: null, text: '' };

/** An event as it came: chunked or not, and wherever its lines stand. */
function parseEvent(text: string): SentEvent {
  const field = (name: string): string => new RegExp(`^${name}: ?(.*)$`, 'm').exec(text)?.[1] ?? '';
  const whole = /(?:^|\n)((?:id|event|data):.*?\n\n)/s.exec(text)?.[1] ?? '';
  return { id: field('id'), event: field('event'), data: JSON.parse(field('data')), text: whole };
}

/** nchan gives ids of its own. */
function requireSame(ours: SentEvent, theirs: SentEvent): void {
  const [left, right] = [ours, theirs].map(({ event, data }) => JSON.stringify([event, data]));
  if (left !== right) throw new Error(`The two sides send different events:\n${left}\n${right}`);
}
