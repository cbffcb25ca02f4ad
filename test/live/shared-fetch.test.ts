// Proof that sharing a fetch is safe: whoever leaves harms nobody, one failure is one failure, and the next is fresh.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { LiveFailure } from '../../src/sources/source.ts';
import { backgroundAtRest } from '../support/check/background.ts';
import { makeInBatches } from '../support/check/batches.ts';
import { until } from '../support/check/until.ts';
import type { Reader } from '../support/streams/clients.ts';
import { type Gate, outcomeOf, startGated } from '../support/streams/gates.ts';

const service = await startGated({ after });
const { gates } = service;
await backgroundAtRest(service);
const timers = service.clock.waiting;
const KEYS = ['a', 'b', 'c'] as const;
const CODES: readonly LiveFailure[] = ['fetch_failed', 'parse_failed', 'upstream_unavailable', 'timeout'];

type Step =
  | { readonly do: 'join'; readonly key: string }
  | { readonly do: 'leave'; readonly at: number }
  | { readonly do: 'end'; readonly key: string; readonly code: LiveFailure | null };

const key = fc.constantFrom(...KEYS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('join' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('leave' as const), at: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('end' as const), key, code: fc.constantFrom(null, ...CODES) }),
  },
);

/** Waits until so many streams are open. */
const streamsAre = (count: number) =>
  until(`${count} streams are open`, async () => (await service.streams()) === count);

/** What must be so: at most one flight per listing, with those who wait for it. */
class Model {
  readonly flights = new Map<string, { readonly gate: Gate; readonly readers: Set<Reader> }>();

  get readers(): readonly { readonly key: string; readonly reader: Reader }[] {
    return [...this.flights].flatMap(([key, { readers }]) => [...readers].map((reader) => ({ key, reader })));
  }

  async run(step: Step): Promise<void> {
    if (step.do === 'join') await this.join(step.key);
    else if (step.do === 'leave') await this.leave(step.at);
    else await this.end(step.key, step.code);
    assert.equal(await service.streams(), this.readers.length);
    for (const { gate } of this.flights.values()) assert.equal(gate.signal.aborted, false);
  }

  async join(key: string): Promise<void> {
    const before = gates.length;
    const reader = await service.join(key);
    const flight = this.flights.get(key);
    if (flight === undefined) await until('the source is reached', () => gates.length > before);
    assert.equal(gates.length - before, flight === undefined ? 1 : 0, 'one call for each flight');
    const gate = gates.at(-1);
    if (flight !== undefined) flight.readers.add(reader);
    else if (gate !== undefined) this.flights.set(key, { gate, readers: new Set([reader]) });
  }

  async leave(at: number): Promise<void> {
    const { readers } = this;
    const leaving = readers[at % Math.max(readers.length, 1)];
    if (leaving === undefined) return;
    const flight = this.flights.get(leaving.key);
    leaving.reader.socket[at % 2 === 0 ? 'resetAndDestroy' : 'destroy']();
    flight?.readers.delete(leaving.reader);
    if (flight?.readers.size === 0) {
      this.flights.delete(leaving.key);
      await until('the fetch is aborted', () => flight.gate.signal.aborted);
    }
    await streamsAre(this.readers.length);
  }

  async end(key: string, code: LiveFailure | null): Promise<void> {
    const flight = this.flights.get(key);
    if (flight === undefined) return;
    if (code === null) flight.gate.give();
    else flight.gate.fail(code);
    for (const reader of flight.readers) assert.equal(await outcomeOf(reader), code ?? 'live');
    this.flights.delete(key);
    await streamsAre(this.readers.length);
  }
}

test('streams of some listings join and leave in any order: one call each, right answers, aborted by the last', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const model = new Model();
      for (const each of steps) await model.run(each);
      for (const each of KEYS) await model.run({ do: 'end', key: each, code: null });
      // The response to the last look at the streams may not be closed yet.
      await until('no timer is left', () => service.clock.waiting === timers);
    }),
    { numRuns: 25 },
  );
});

test('the first of 1,000 leaves: the call goes on, and 999 have its answer', async () => {
  const before = gates.length;
  const first = await service.join('a');
  await until('the source is reached', () => gates.length > before);
  const others = await makeInBatches(999, () => service.join('a'));
  first.socket.resetAndDestroy();
  await streamsAre(999);
  const [gate] = gates.slice(before);
  assert.deepEqual([gates.length - before, gate?.signal.aborted], [1, false]);
  gate?.give();
  const answers = await Promise.all(others.map(outcomeOf));
  assert.deepEqual([...new Set(answers)], ['live']);
  assert.equal(gates.length - before, 1);
});

test('one failure fails everyone of that flight, and the next flight is fresh', async () => {
  const before = gates.length;
  const waiting = await Promise.all(Array.from({ length: 50 }, () => service.join('b')));
  await until('the source is reached', () => gates.length > before);
  gates.at(-1)?.fail('upstream_unavailable');
  assert.deepEqual([...new Set(await Promise.all(waiting.map(outcomeOf)))], ['upstream_unavailable']);
  const next = await service.join('b');
  await until('it is reached again', () => gates.length > before + 1);
  gates.at(-1)?.give();
  assert.equal(await outcomeOf(next), 'live');
  assert.equal(gates.length - before, 2);
});
