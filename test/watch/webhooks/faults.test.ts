// Proof that webhooks lose no event and get none out of order, whatever happens to the processes and to the receivers.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { EventDraft } from '../../../src/watch/events/event.ts';
import { WEBHOOKS_CHANNEL } from '../../../src/watch/events/wake-webhooks-store.ts';
import { createRandom } from '../../support/check/random.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { type Child, startProgram } from '../../support/process/children.ts';
import { manualClock } from '../../support/service/clock.ts';
import type { DispatcherChildOptions } from '../../support/webhooks/dispatcher-child.ts';
import { type Arrival, ok, type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';
import { openStage, type TestWebhook } from '../../support/webhooks/stage.ts';

const t = { after };
const { database, url } = await testDatabase(t);
const START = Date.UTC(2026, 0, 5, 12);
const clock = manualClock(START);
const random = createRandom(16);
const WEBHOOKS = 16;
const HOSTS = 4;

const receivers: Receiver[] = [];
for (let host = 0; host < HOSTS; host++) receivers.push(await startReceiver(t, `127.0.0.${host + 2}`));
const ports = receivers.map(({ port }) => port);
const stage = await openStage(t, { database, clock, ports });

/** Arrivals in their order, with whether they were answered by a success. */
const arrivals: { readonly arrival: Arrival; readonly isAcknowledged: boolean }[] = [];
let faults = 0.25;

/** Answers that are failures. */
const HOSTILE: readonly ((response: Parameters<Receiver['answer']>[1]) => void)[] = [
  (response) => void response.writeHead(500).end('no'),
  (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  // Some are never answered, until the process gives up as its clock is advanced.
  (response) => void (random.chance(0.2) || response.writeHead(503, { 'retry-after': '7' }).end()),
  (response) => void response.socket?.resetAndDestroy(),
  (response) => void response.socket?.end('HTTP/1.1 200'),
];
/** Answers that are successes, however they end. */
const UNUSUAL: readonly ((response: Parameters<Receiver['answer']>[1]) => void)[] = [
  (response) => void response.end('x'.repeat(300_000)),
  (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half');
    setImmediate(() => response.socket?.destroy());
  },
  (response) => void response.writeHead(204).end(),
];

for (const receiver of receivers)
  receiver.answer = (arrival, response) => {
    const isRefused = random.chance(faults);
    arrivals.push({ arrival, isAcknowledged: !isRefused });
    if (isRefused) random.pick(HOSTILE)(response);
    else if (random.chance(0.2)) random.pick(UNUSUAL)(response);
    else ok(arrival, response);
  };

const webhooks: TestWebhook[] = [];
for (let number = 0; number < WEBHOOKS; number++) {
  const receiver = receivers[number % HOSTS];
  const webhook = await stage.createWebhook(`${receiver?.url}/${number}`);
  receiver?.secrets.set(`/${number}`, webhook.secret);
  webhooks.push(webhook);
}
const written: EventDraft[] = [];

async function write(changes: number): Promise<void> {
  for (let change = 0; change < changes; change++) {
    const some = webhooks.filter(() => random.chance(0.5)).map(({ watcher }) => watcher);
    if (some.length > 0) written.push(...(await stage.log.writeChange(some)));
  }
}

async function startChild(): Promise<Child> {
  const options: DispatcherChildOptions = { url, ports, start: START + elapsed };
  const child = startProgram(t, 'webhooks/dispatcher-child.ts', [JSON.stringify(options)]);
  assert.equal(await child.line(), 'ready');
  return child;
}

let elapsed = 0;
let [first, second] = [await startChild(), await startChild()];

/** Time passes for both: attempts that hang end, pauses go by. */
function advance(milliseconds: number): void {
  elapsed += milliseconds;
  clock.advance(milliseconds);
  for (const child of [first, second]) child.tell(`advance ${milliseconds}`);
}

/** Longer than an attempt may take. */
const HANGING = 16_000;

/** Claims end as they would some time after their process has died; processes need not wait for their next look. */
const endClaims = () =>
  database.transaction(async (tx) => {
    await tx`update webhook set claimed_until = clock_timestamp() - interval '1 second' where claimed_until is not null`;
    await tx`select pg_notify(${WEBHOOKS_CHANNEL}, '')`;
  });

/** Waits until nothing is due; time is moved to what is due next. */
async function allDelivered(): Promise<void> {
  let quiet = 0;
  let seen = 0;
  await until('all events are delivered', async () => {
    const [row] = await database.read(
      (sql) => sql<{ waiting: number; claimed: number; next: string | null }[]>`
          select count(due_at)::int as waiting, count(claim)::int as claimed, min(due_at) as next from webhook`,
    );
    if (row === undefined || row.waiting === 0) return true;
    const pause = Date.parse(row.next ?? '') - clock.now();
    if (row.claimed === 0 && pause > 0) advance(pause);
    // Attempts that hang end only once nothing else happens: those under way would end with them.
    quiet = arrivals.length === seen ? quiet + 1 : 0;
    seen = arrivals.length;
    if (quiet % 30 === 29) advance(HANGING);
    if (quiet % 90 === 89) await endClaims();
    return false;
  });
}

const key = ({ watcherId, sequence }: { watcherId: string; sequence: number }) => `${watcherId} ${sequence}`;

/** Nothing is lost, and first arrivals are in order for each watcher; what came again is counted. */
function compare(what: string): void {
  const acknowledged = new Set(
    arrivals.filter(({ isAcknowledged }) => isAcknowledged).map(({ arrival }) => key(arrival.event)),
  );
  const lost = written.filter((event) => !acknowledged.has(key(event))).length;
  let inverted = 0;
  for (const isCounted of [() => true, (isAcknowledged: boolean) => isAcknowledged]) {
    const newest = new Map<string, number>();
    const seen = new Set<string>();
    for (const { arrival, isAcknowledged } of arrivals) {
      const { watcherId, sequence } = arrival.event;
      if (!isCounted(isAcknowledged) || seen.has(key(arrival.event))) continue;
      seen.add(key(arrival.event));
      if (sequence < (newest.get(watcherId) ?? 0)) inverted++;
      newest.set(watcherId, sequence);
    }
  }
  const successes = arrivals.filter(({ isAcknowledged }) => isAcknowledged).length;
  const repeated = successes - acknowledged.size;
  const forged = receivers.flatMap((receiver) => receiver.forged).length;
  console.log(
    `${what}: ${written.length} events, ${arrivals.length} attempts, lost ${lost}, inverted ${inverted}, repeated ${repeated}, wrong signatures ${forged}`,
  );
  assert.deepEqual({ lost, inverted, forged }, { lost: 0, inverted: 0, forged: 0 });
}

test('two processes deliver every event in order to receivers that fail in every way', async () => {
  await write(30);
  await allDelivered();
  compare('two processes');
  assert.ok(arrivals.length > written.length * 1.1, 'failures are common');
});

for (const step of ['claimed', 'sent', 'recorded'] as const) {
  test(`a process that is killed when it has ${step} loses nothing, and nothing comes out of order`, async () => {
    first.tell(`die ${step}`);
    assert.equal(await first.line(), `dies at ${step}`);
    let isDead = false;
    void first.ended.then(() => {
      isDead = true;
    });
    await until('it is dead', async () => {
      if (!isDead) await write(1);
      advance(HANGING);
      return isDead;
    });
    await write(5);
    await endClaims();
    await allDelivered();
    compare(`killed at "${step}"`);
    first = await startChild();
  });
}

test('a process that was stopped past its claims does no harm when it goes on', async () => {
  await write(10);
  first.kill('SIGSTOP');
  await write(10);
  await endClaims();
  await allDelivered();
  first.kill('SIGCONT');
  await write(10);
  await allDelivered();
  compare('stopped and continued');
});

test('a process that ends in good order gives back what it holds, and the other goes on at once', async () => {
  faults = 0;
  await write(20);
  assert.equal(await first.finish(), 0);
  await allDelivered();
  compare('ended');
});
