// Feeds of events (P9, P12) and pages of them (P20), against loops without a service around them.

import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createLocalSubscriptions } from '../src/access/providers/subscription-store.ts';
import { systemClock } from '../src/lib/clock.ts';
import {
  changeEvents,
  contentsOf,
  type EventLog,
  openEventLog,
  positionsAt,
} from '../test/support/watch/event-log.ts';
import { resident } from './memory.ts';
import { type Arm, startArm, startService, type Testbed } from './testbed.ts';
import type { Row } from './throughput.ts';

const FEEDS = 5_000;
/** Feeds that are weighed, beside as many that were opened before. */
const WEIGHED = 2_000;
const ROUNDS = 15;
const PAGE = 100;
const PAGES = 500;
/** About as long as an event of a real listing. */
const LISTING = { object: 'listing', address: { full: 'x'.repeat(500) } };

const TIERS = { internal: { feeds: 100_000 } };
const MANY = { MAX_CONNECTIONS: '15000', MAX_CONNECTIONS_PER_ADDRESS: '15000' };

interface Owner {
  readonly key: string;
  readonly log: EventLog;
  readonly watchers: Awaited<ReturnType<EventLog['createWatchers']>>;
}

export async function feeds(testbed: Testbed): Promise<Row[]> {
  const log = await openEventLog(testbed.database, systemClock);
  const subscriptions = createLocalSubscriptions(testbed.database, systemClock);
  const { key } = await subscriptions.create({ plan: 'internal', customer: 'bench' });
  const owner = { key, log, watchers: await log.createWatchers('cus:bench', 1) };
  const raw = await startArm('raw-feeds.ts', {});
  const service = await startService(testbed, 'feeds', TIERS, MANY);
  const rows = [
    await idle(service, raw, owner),
    await fanOut(service, raw, owner),
    await pages(testbed, service, owner),
  ];
  await Promise.all([service.stop(), raw.stop()]);
  return rows;
}

const ratioRow = (name: string, ratio: number, more: string, met: boolean, floor: string): Row => ({
  ...{ name, figure: `${ratio.toFixed(2)} (${more})`, floor, met },
});

/** P12: resident bytes of each idle feed. */
async function idle(service: Arm, raw: Arm, { key }: Owner): Promise<Row> {
  const [ours, bare] = [await bytesPerFeed(service, key), await bytesPerFeed(raw, key)];
  const more = `${(ours / 1024).toFixed(1)} and ${(bare / 1024).toFixed(1)} KB resident`;
  return ratioRow(
    'P12: an idle feed / a response of node:http',
    ours / bare,
    more,
    ours / bare <= 1.25,
    '1.25 at most',
  );
}

async function bytesPerFeed(arm: Arm, key: string): Promise<number> {
  const first = await openFeeds(arm, key, WEIGHED);
  const before = await resident(arm);
  const second = await openFeeds(arm, key, WEIGHED);
  const bytes = (await resident(arm)) - before;
  for (const { socket } of [...first, ...second]) socket.destroy();
  return bytes / WEIGHED;
}

/** P9: deliveries a second, from the first reader to the last, against a loop of writes of the same bytes. */
async function fanOut(service: Arm, raw: Arm, { key, log, watchers }: Owner): Promise<Row> {
  const ours = await openFeeds(service, key, FEEDS);
  const bare = await openFeeds(raw, key, FEEDS);
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  let chunk = '';
  for (let round = 0; round < ROUNDS; round++) {
    times.ours.push(await delivery(ours, () => writeOne(log, watchers), 0));
    chunk = /^id: .*\nevent: .*\ndata: .*\n\n/m.exec(ours[0]?.last() ?? '')?.[0] ?? '';
    times.bare.push(await delivery(bare, () => post(raw, chunk), chunk.length));
  }
  for (const { socket } of [...ours, ...bare]) socket.destroy();
  const [mine, theirs] = [median(times.ours), median(times.bare)];
  const rate = (milliseconds: number) => Math.round((FEEDS / milliseconds) * 1_000).toLocaleString('en');
  const more = `${rate(mine)} and ${rate(theirs)} deliveries a second of ${chunk.length} bytes`;
  const name = `P9: an event to ${FEEDS.toLocaleString('en')} feeds / a loop of socket.write`;
  return ratioRow(name, theirs / mine, more, theirs / mine >= 0.8, '0.80');
}

const post = (raw: Arm, chunk: string) => fetch(raw.url, { method: 'POST', body: chunk });

async function writeOne(log: EventLog, watchers: Owner['watchers']): Promise<void> {
  const sequence = log.next();
  const events = changeEvents(sequence, { watchers, types: ['listing.updated'], at: Date.now() });
  const contents = contentsOf(events).map((content) => ({ ...content, object: LISTING }));
  await log.write({ events, contents, positions: positionsAt(sequence) });
}

/** Milliseconds between the first reader and the last that have an event whole, or as many bytes as are named. */
async function delivery(
  readers: readonly Reader[],
  send: () => Promise<unknown>,
  bytes: number,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let [left, first] = [readers.length, 0];
  const arrive = () => {
    if (left === readers.length) first = performance.now();
    left -= 1;
    if (left === 0) resolve();
  };
  for (const reader of readers) reader.expect(bytes, arrive);
  await Promise.all([send(), promise.then(() => (first = performance.now() - first))]);
  return first;
}

interface Reader {
  readonly socket: Socket;
  readonly last: () => string;
  /** Calls back once, when this many bytes have come, or an event is whole. */
  expect(bytes: number, callback: () => void): void;
}

async function openFeeds(arm: Arm, key: string, count: number): Promise<Reader[]> {
  const readers: Reader[] = [];
  for (let opened = 0; opened < count; opened += 100)
    readers.push(...(await Promise.all(Array.from({ length: 100 }, () => openReader(arm, key)))));
  return readers;
}

function openReader({ url }: Arm, key: string): Promise<Reader> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let [text, bytes, callback] = ['', 0, () => {}];
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    const reader: Reader = {
      ...{ socket, last: () => text },
      expect(wanted, then) {
        [text, bytes, callback] = ['', wanted, then];
      },
    };
    let isOpen = false;
    socket.on('error', reject).on('data', (chunk: string) => {
      text += chunk;
      if (!isOpen && text.includes('id: ')) {
        isOpen = true;
        resolve(reader);
      } else if (bytes > 0 ? text.length >= bytes : text.includes('}\n\n')) {
        // A heartbeat may follow the event.
        callback();
        callback = () => {};
      }
    });
    socket.write(
      `GET /v1/events/stream?after=now HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  });
}

/** P20: pages a second of one reader, against the statements of a page alone. */
async function pages({ databaseUrl }: Testbed, service: Arm, { key, log, watchers }: Owner): Promise<Row> {
  for (let change = 0; change < PAGE * 2; change++) await writeOne(log, watchers);
  // On the same processor as the service, so that both are as far from the database.
  const statements = await startArm('event-statements.ts', {
    ...{ DATABASE_URL: databaseUrl, OWNER: 'cus:bench', LIMIT: String(PAGE + 1) },
  });
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${key}` };
  const page = () => textOf(`${service.url}/v1/events?limit=${PAGE}`, { agent, headers });
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < PAGES; round++) {
    times.ours.push(await timeOf(page));
    times.bare.push(Number(await textOf(statements.url, { agent })));
  }
  agent.destroy();
  await statements.stop();
  const [mine, theirs] = [median(times.ours), median(times.bare)];
  const more = `${mine.toFixed(2)} and ${theirs.toFixed(2)} ms for ${PAGE} events`;
  return ratioRow(
    'P20: a page of events / its statements',
    theirs / mine,
    more,
    theirs / mine >= 0.7,
    '0.70',
  );
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

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
