// Tests of workers: what a process does whose claim has ended, or whose webhook was changed meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Attempt, ClaimedWebhook, QueuedEvent, WebhookState } from './claimed-webhook.ts';
import type { Outcome, RecordedWebhook } from './outcome-store.ts';
import { WebhookWorker, type WorkerOptions } from './webhook-worker.ts';

const LIFETIME = 10_000;

const webhook: ClaimedWebhook = {
  no: 1,
  id: 'whk_a',
  watcherId: 'wat_a',
  url: 'https://a.example/',
  host: 'a.example',
  isInner: false,
  secret: new Uint8Array(),
  previousSecret: null,
  previousSecretUntil: null,
  verifyStartedAt: null,
  isPaused: false,
  hasRedelivery: false,
  wakes: 1,
  updatedAt: 'then',
  claim: 'mine',
  state: {
    status: 'active',
    position: { sequence: 0, type: '', ordinal: 0 },
    positionDay: '-infinity',
    attempt: 0,
    failures: 0,
    retryAt: null,
    failingSince: null,
    lastSuccessAt: null,
    lastError: null,
    pendingSince: null,
    testSequence: null,
  },
};

const events = [1, 2, 3].map(
  (sequence): QueuedEvent => ({
    occasion: 'queue',
    isClosed: false,
    position: { sequence, type: 'listing.updated', ordinal: 0 },
    day: '2026-01-05',
    id: `evt_${sequence}`,
    at: sequence,
    json: '{}',
    owner: 'sub:1',
    shown: [],
  }),
);

const success: Attempt = {
  isSuccess: true,
  httpStatus: 200,
  latency: 1,
  response: '',
  error: null,
  retryAfter: null,
  at: 10,
};

/** Runs a worker whose outcomes are answered by `recorded`; gives what it sent and wrote. */
async function run(
  changes: Partial<ClaimedWebhook> = {},
  recorded: (outcome: Outcome) => RecordedWebhook | undefined | Promise<RecordedWebhook> = () => same,
  {
    claimedAt = systemClock.monotonic(),
    attempt = success,
    work = { events, hasMore: false },
    onSend = (_worker: WebhookWorker): void => {},
  } = {},
) {
  const sent: string[] = [];
  const outcomes: Outcome[] = [];
  const never = new AbortController().signal;
  const options: WorkerOptions = {
    clock: manualClock(),
    lifetime: LIFETIME,
    random: () => 0,
    stopping: never,
    aborting: never,
    record: async (outcome) => {
      outcomes.push(outcome);
      return recorded(outcome);
    },
    disable: async () => {},
    count: () => {},
    report: () => {},
  };
  const worker = new WebhookWorker(options, { ...webhook, ...changes }, claimedAt);
  const sender = {
    send: async ({ id }: QueuedEvent) => {
      sent.push(id);
      onSend(worker);
      return attempt;
    },
  };
  await worker.run(sender, work);
  return { sent, outcomes };
}

const failure: Attempt = { ...success, isSuccess: false, httpStatus: 500, at: -86_400_000 };

const same: RecordedWebhook = { isPaused: false, updatedAt: 'then', dueAt: null };

test('each event is recorded before the next is sent, and the last one gives the webhook back', async () => {
  const { sent, outcomes } = await run();
  assert.deepEqual(sent, ['evt_1', 'evt_2', 'evt_3']);
  assert.deepEqual(
    outcomes.map(({ state, release }) => [state.position.sequence, release]),
    [
      [1, null],
      [2, null],
      [3, { dueAt: null }],
    ],
  );
});

test('a process that was stopped past its claim sends nothing and writes nothing', async () => {
  const { sent, outcomes } = await run({}, () => same, { claimedAt: systemClock.monotonic() - LIFETIME });
  assert.deepEqual([sent, outcomes], [[], []]);
});

test('a worker has given its webhook back once it has ended, whatever it had to send', async () => {
  const { promise: written, resolve } = Promise.withResolvers<void>();
  let hasEnded = false;
  const recorded = async () => {
    await written;
    return same;
  };
  const running = run({}, recorded, { work: { events: [], hasMore: false } }).then(({ outcomes }) => {
    hasEnded = true;
    return outcomes;
  });
  for (let turn = 0; turn < 5; turn++) await new Promise((next) => setImmediate(next));
  assert.equal(hasEnded, false, 'it waits until the release is written');
  resolve();
  assert.deepEqual(
    (await running).map(({ release }) => release),
    [{ dueAt: null }],
  );
});

test('nothing is sent in the last three seconds of a claim', async (t) => {
  let now = 100_000;
  t.mock.method(systemClock, 'monotonic', () => now);
  for (const [left, count] of [
    [3_000, 0],
    [3_001, 3],
  ] as const) {
    const { sent } = await run({}, () => same, { claimedAt: now + left - LIFETIME });
    assert.equal(sent.length, count, `${left} ms of the claim are left`);
    now += 1;
  }
});

test('a result prolongs the claim from when it was sent to the database, however late the answer is', async (t) => {
  let now = 100_000;
  t.mock.method(systemClock, 'monotonic', () => now);
  const late = (milliseconds: number) => () => {
    now += milliseconds;
    return same;
  };
  const inTime = await run({}, late(LIFETIME - 3_001), { claimedAt: now });
  assert.deepEqual(inTime.sent, ['evt_1', 'evt_2', 'evt_3']);
  const tooLate = await run({}, late(LIFETIME - 3_000), { claimedAt: now });
  assert.deepEqual(tooLate.sent, ['evt_1']);
});

test('a claim that is renewed while an attempt is under way lets the next one begin', async (t) => {
  let now = 100_000;
  t.mock.method(systemClock, 'monotonic', () => now);
  const slow = (renews: boolean) => ({
    claimedAt: now,
    onSend(worker: WebhookWorker) {
      now += 15_000;
      if (renews) worker.renewed(now);
    },
  });
  assert.deepEqual((await run({}, () => same, slow(true))).sent, ['evt_1', 'evt_2', 'evt_3']);
  const unwritten = () => {
    throw new Error('the database does not answer');
  };
  assert.deepEqual((await run({}, unwritten, slow(false))).outcomes.length, 1, 'it gives up what has ended');
});

test('a process whose result is refused, since another has the claim, sends no more', async () => {
  const { sent, outcomes } = await run({}, () => undefined);
  assert.deepEqual(sent, ['evt_1']);
  assert.equal(outcomes.length, 1);
});

test('a webhook that its owner pauses or changes gets nothing more under the old claim', async () => {
  for (const change of [{ isPaused: true }, { updatedAt: 'now' }]) {
    const { sent, outcomes } = await run({}, () => ({ ...same, ...change }));
    assert.deepEqual(sent, ['evt_1']);
    assert.ok(outcomes.at(-1)?.release !== null && outcomes.at(-1)?.delivery === null);
  }
  const paused = await run({ isPaused: true });
  assert.deepEqual(paused.sent, []);
  assert.deepEqual(paused.outcomes[0]?.release, { dueAt: null });
});

test('after a failure nothing behind it is sent, even if a clock has jumped past the pause', async () => {
  const { sent, outcomes } = await run({}, () => same, { attempt: failure });
  assert.deepEqual(sent, ['evt_1']);
  assert.equal(outcomes[0]?.state.position.sequence, 0);
  assert.deepEqual(outcomes[0]?.release, { dueAt: failure.at + failure.latency + 5_000 });
});

test('the pause after a failure begins when the attempt ends, not when it began', async () => {
  const timedOut: Attempt = { ...failure, httpStatus: null, latency: 15_000.4 };
  const { outcomes } = await run({}, () => same, { attempt: timedOut });
  assert.deepEqual(outcomes[0]?.release, { dueAt: timedOut.at + 20_000 });
  const asked = await run({}, () => same, { attempt: { ...timedOut, retryAfter: 60_000 } });
  assert.equal(asked.outcomes[0]?.delivery?.nextAttemptAt, timedOut.at + 75_000);
  const unverified: WebhookState = { ...webhook.state, status: 'unverified' };
  const test = await run({ state: unverified }, () => same, { attempt: timedOut });
  assert.deepEqual(test.outcomes[0]?.release, { dueAt: timedOut.at + 20_000 });
});

test('a webhook whose rest ends between its claim and its release is due at once, since its queue was not read', async () => {
  const now = manualClock().now();
  const unread = { events: [], hasMore: true };
  const resting: WebhookState = { ...webhook.state, status: 'failing', failures: 1, retryAt: now };
  const { outcomes } = await run({ state: resting }, () => same, { work: unread });
  assert.deepEqual(outcomes[0]?.release, { dueAt: now });
  const unverified: WebhookState = { ...webhook.state, status: 'unverified' };
  const untested = await run({ state: unverified }, () => same, { work: unread });
  assert.deepEqual(untested.outcomes[0]?.release, { dueAt: null });
});
