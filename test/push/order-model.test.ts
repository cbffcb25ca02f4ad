// Proof against a plain model, with two processes that are killed: pushed listings are as the newest message of their sender says.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { listingId } from '../../src/ingest/identity.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createPushSource } from '../../src/sources/registry/set-up.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';
import { isEnd, KeptOrder, type PlannedMessage, priceOf } from '../support/push/kept-order.ts';
import { record, type Sender, senderOf } from '../support/push/sender.ts';
import type { TestService } from '../support/service/service.ts';
import { startWatchProcess, type WatchProcess } from '../support/watch/processes.ts';
import { subscriber } from '../support/watch/watchers.ts';

const { database, url: databaseUrl } = await testDatabase({ after });
const start = () => startWatchProcess({ after }, databaseUrl);
const processes: [WatchProcess, WatchProcess] = [await start(), await start()];
const { key: businessKey } = await subscriber({
  database,
  clock: systemClock,
} as unknown as TestService).subscribe('business');

type Step =
  | { readonly kind: 'one'; readonly at: 0 | 1; readonly message: PlannedMessage }
  | { readonly kind: 'batch'; readonly at: 0 | 1; readonly messages: readonly PlannedMessage[] }
  | { readonly kind: 'kill'; readonly at: 0 | 1; readonly messages: readonly PlannedMessage[] };

const place = fc.constantFrom<0 | 1>(0, 1);
const message = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  sequence: fc.integer({ min: 1, max: 40 }),
});
/** Messages of a batch are records, not ends. */
const messages = fc.array(
  message.filter((each) => !isEnd(each)),
  { minLength: 1, maxLength: 12 },
);
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('one' as const), at: place, message }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('batch' as const), at: place, messages }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), at: place, messages }) },
  ),
  { minLength: 25, maxLength: 50 },
);

const recordOf = (each: PlannedMessage) => record({ sequence: each.sequence, listPrice: priceOf(each) });

async function sendOne(sender: Sender, each: PlannedMessage): Promise<void> {
  const answer = isEnd(each)
    ? await sender.send('DELETE', `/listings/${each.key}?sequence=${each.sequence}`)
    : await sender.put(each.key, recordOf(each));
  assert.ok(answer.status < 300, answer.text);
}

async function sendBatch(sender: Sender, batch: readonly PlannedMessage[]): Promise<void> {
  const lines = await sender.batch(batch.map((each) => ({ listingKey: each.key, ...recordOf(each) })));
  assert.equal(lines.length, batch.length);
  for (const { problem } of lines) assert.equal(problem, undefined, JSON.stringify(problem));
}

/** Carries out steps two at a time, so that messages about one listing meet at both processes. */
async function carryOut(
  planned: readonly Step[],
  senders: () => readonly [Sender, Sender],
): Promise<KeptOrder> {
  const model = new KeptOrder();
  const work = async (step: Step): Promise<void> => {
    const sender = senders()[step.at];
    if (step.kind === 'one') await sendOne(sender, step.message);
    else if (step.kind === 'batch') await sendBatch(sender, step.messages);
    else await kill(step.at, senders, step.messages);
    for (const each of step.kind === 'one' ? [step.message] : step.messages) model.add(each);
  };
  for (let at = 0; at < planned.length; at += 2) {
    const pair = planned.slice(at, at + 2);
    // A process that is killed takes the other step's request with it.
    if (pair.some(({ kind }) => kind === 'kill')) for (const step of pair) await work(step);
    else await Promise.all(pair.map(work));
  }
  return model;
}

/** Kills a process while it reads a batch; its sender then sends that to the other one, as if nothing had come of it. */
async function kill(
  at: 0 | 1,
  senders: () => readonly [Sender, Sender],
  batch: readonly PlannedMessage[],
): Promise<void> {
  const lost = sendBatch(senders()[at], batch).catch(() => {});
  processes[at].child.kill('SIGKILL');
  kills++;
  await Promise.all([lost, processes[at].child.ended]);
  await sendBatch(senders()[at === 0 ? 1 : 0], batch);
  processes[at] = await start();
}

interface Change {
  readonly listingId: string;
}

/** How many changes the log has of each listing. */
async function countChanges(): Promise<Map<string, number>> {
  const answer = await fetch(`${processes[0].url}/v1/changes?after=0`, {
    headers: { authorization: `Bearer ${businessKey}`, accept: 'application/x-ndjson' },
  });
  const lines = (await answer.text()).trim().split('\n').filter(Boolean);
  const ids = lines.map((line) => (JSON.parse(line) as Change).listingId);
  return new Map([...Map.groupBy(ids, (id) => id)].map(([id, each]) => [id, each.length]));
}

let round = 0;
let kills = 0;

test('late, repeated and interrupted messages: the state is the newest by the sender’s order, and each change is in the log once', async () => {
  const property = fc.asyncProperty(steps, async (planned) => {
    const id = `model-${round++}`;
    const token = await createPushSource(database, { id, name: id, kind: 'push' }, {});
    const senders = (): [Sender, Sender] => [
      senderOf(processes[0].url, id, token),
      senderOf(processes[1].url, id, token),
    ];
    const model = await carryOut(planned, senders);
    const rows = await database.read(
      (sql) => sql<{ key: string; status: string; price: number; version: number }[]>`
        select listing_key as key, status, (record->>'price')::float8 as price, version from listing
        where source = ${id}`,
    );
    const actual = rows.map(
      ({ key, status, price }) => [key, status === 'ACTIVE' ? price : 'ended'] as const,
    );
    assert.deepEqual(new Map(actual.toSorted()), new Map([...withoutLostEnds(model, rows)].toSorted()));
    const changes = await countChanges();
    for (const { key, version } of rows) assert.equal(changes.get(listingId(id, key)), version, key);
  });
  // Each smaller case would start processes of its own; `npm run chaos` plays more.
  await fc.assert(property, { ...runs(2, 20_261_128), endOnFailure: true });
  assert.ok(kills >= 4, `${kills} kills`);
});

/** A record that an end overtook is stored by nobody: the model knows only that one came. */
function withoutLostEnds(model: KeptOrder, rows: readonly { readonly key: string }[]) {
  const stored = new Set(rows.map(({ key }) => key));
  return [...model.expected()].filter(([key, state]) => state !== 'ended' || stored.has(key));
}
