// Proof that events survive processes: whatever comes in whatever order, and whoever dies where, the service's state is what holds.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { JobStep } from '../../src/billing/event-job.ts';
import { moveableTime } from '../support/billing/database-time.ts';
import { endPauses, eventStates, storeEvent } from '../support/billing/stored-events.ts';
import {
  createPaymentTable,
  type PaidSubscription,
  paidStatus,
  setPaid,
} from '../support/billing/table-payments.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { type Child, startProgram } from '../support/process/children.ts';

const { database, url } = await testDatabase({ after });
const time = await moveableTime(database);
await createPaymentTable(database);

const STEPS: readonly JobStep[] = ['claimed', 'resolved', 'renewed', 'finished'];
/** Milliseconds for which a row counts. */
const LIFETIME = 600_000;

/** One of two processes; the next one takes its place when it has died. */
class Place {
  #child: Child | null = null;
  /** Processes that have died here. */
  deaths = 0;

  async child(): Promise<Child> {
    if (this.#child !== null) return this.#child;
    const child = startProgram({ after }, 'billing/job-child.ts', [JSON.stringify({ url })]);
    this.#child = child;
    void child.ended.then(() => {
      this.deaths += 1;
      this.#child = null;
    });
    assert.equal(await child.line(), 'ready');
    return child;
  }

  async dieAt(step: JobStep): Promise<void> {
    const child = await this.child();
    child.tell(`die ${step}`);
    // One that dies meanwhile of an earlier command says nothing.
    await child.line();
  }

  async ask(reference: string): Promise<string> {
    for (;;) {
      const child = await this.child();
      child.tell(`ask ${reference}`);
      const line = await child.line();
      if (line === undefined) await child.ended;
      else if (line !== 'unavailable') return line;
    }
  }
}

const places = [new Place(), new Place()] as const;

/** Lets every pause end until nothing waits. */
async function settle(): Promise<void> {
  let turns = 0;
  await until('every event is handled', async () => {
    for (const place of places) await place.child();
    const states = await eventStates(database);
    if (states.every(({ isHandled }) => isHandled)) return true;
    // Now and then the claims of the dead end, and otherwise the living may finish.
    await endPauses(database, { andClaims: ++turns % 40 === 0 });
    return false;
  });
}

const stateOf = async (reference: string): Promise<PaidSubscription> => {
  const [row] = await database.read(
    (sql) => sql<PaidSubscription[]>`select * from paid where reference = ${reference}`,
  );
  assert.ok(row !== undefined);
  return row;
};

/** Every process says of these subscriptions what the service says. */
async function compare(references: readonly string[], when: string): Promise<void> {
  for (const place of places)
    for (const reference of references) {
      const { age, ...expected } = { age: 0, ...paidStatus(await stateOf(reference)) };
      assert.deepEqual(JSON.parse(await place.ask(reference)), expected, `${reference} ${when}`);
    }
}

test('a process that dies between any two steps is replaced by the other, and what its event names is renewed', async () => {
  for (const step of STEPS) {
    const subscription = { reference: `dies-${step}`, customer: `c-${step}`, tier: 'pro' } as const;
    await setPaid(database, { ...subscription, state: 'active' });
    for (const place of places) assert.match(await place.ask(subscription.reference), /"active"/);
    const deaths = places.map((place) => place.deaths);
    for (const place of places) await place.dieAt(step);
    await setPaid(database, { ...subscription, state: 'expired' });
    await storeEvent(database, `event-${step}`, [`customer:${subscription.customer}`]);
    // The one that claims it dies, and whoever takes it over dies too.
    await until(`both die once it is ${step}`, async () => {
      await endPauses(database, { andClaims: true });
      // What is handled is replayed: the last step is reached once only.
      if (step === 'finished')
        await database.write(
          (sql) =>
            sql`update billing_event set handled_at = null, due_at = clock_timestamp() where id = ${`event-${step}`}`,
        );
      return places.every((place, at) => place.deaths > (deaths[at] ?? 0));
    });
    await settle();
    await compare([subscription.reference], `after a death when ${step}`);
  }
});

/** What happens at the service and on the way from it. */
type Happening =
  | {
      readonly kind: 'change';
      readonly which: number;
      readonly state: PaidSubscription['state'];
      readonly tier: 'free' | 'pro';
    }
  | { readonly kind: 'deliver'; readonly which: number }
  | { readonly kind: 'die'; readonly place: 0 | 1; readonly step: JobStep };

const happenings = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('change' as const),
        which: fc.nat(3),
        state: fc.constantFrom('active' as const, 'expired' as const, 'gone' as const),
        tier: fc.constantFrom('free' as const, 'pro' as const),
      }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('deliver' as const), which: fc.nat(20) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('die' as const),
        place: fc.constantFrom(0 as const, 1 as const),
        step: fc.constantFrom(...STEPS),
      }),
    },
  ) as fc.Arbitrary<Happening>,
  { minLength: 4, maxLength: 25 },
);

let runs = 0;

test('any order, repetition and loss of events, changes and deaths end in the state of the service', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (list) => {
      const run = ++runs;
      const subscriptions = [0, 1, 2, 3].map(
        (which): PaidSubscription => ({
          reference: `r${run}-${which}`,
          customer: `r${run}-c${which % 3}`,
          state: 'active',
          tier: 'pro',
        }),
      );
      const references = subscriptions.map(({ reference }) => reference);
      for (const subscription of subscriptions) await setPaid(database, subscription);
      for (const place of places) for (const reference of references) await place.ask(reference);
      /** Events so far: the subject of each, and whether it came after the last change of it. */
      const events: { readonly subject: string; readonly which: number; at: number }[] = [];
      const changedAt = subscriptions.map(() => -1);
      const toldAt = subscriptions.map(() => -1);
      for (const [at, happening] of list.entries()) {
        if (happening.kind === 'change') {
          const { which, state, tier } = happening;
          const { reference, customer } = subscriptions[which] as PaidSubscription;
          await setPaid(database, { reference, customer, state, tier });
          changedAt[which] = at;
          events.push({ subject: at % 2 === 0 ? `key:${reference}` : `customer:${customer}`, which, at });
        }
        const event =
          happening.kind === 'deliver' ? events[happening.which % Math.max(events.length, 1)] : undefined;
        if (event !== undefined) {
          // One that is repeated changes nothing: only the first coming of an event counts.
          const isNew = await storeEvent(database, `r${run}-e${event.at}`, [event.subject]);
          if (isNew) toldAt[event.which] = at;
        }
        if (happening.kind === 'die') await places[happening.place].dieAt(happening.step);
      }
      await settle();
      const told = references.filter((_, which) => (toldAt[which] ?? -1) >= (changedAt[which] ?? -1));
      await compare(told, 'as its last event has come');
      await time.advance(LIFETIME);
      await compare(references, 'after ten minutes');
    }),
    { numRuns: 25 },
  );
  assert.ok(places.some(({ deaths }) => deaths > 0));
});
