// Proves that memory is bounded and that nobody who called within the last minute is forgotten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WINDOW } from './ring.ts';
import { Roster } from './roster.ts';

test('an entry is the same for at least 60 seconds after its last use, whoever else comes', () => {
  const call = fc.record({
    name: fc.integer({ min: 0, max: 30 }),
    wait: fc.integer({ min: 0, max: 20_000 }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
      const roster = new Roster({ capacity: 8, now: 0, create: () => ({}) });
      const last = new Map<string, { time: number; entry: object }>();
      let now = 0;
      for (const { name, wait } of calls) {
        now += wait;
        const entry = roster.enter(String(name), now);
        const known = last.get(String(name));
        if (known !== undefined && now - known.time <= WINDOW) assert.equal(entry, known.entry);
        if (entry !== undefined) last.set(String(name), { time: now, entry });
        assert.ok(roster.size <= 8);
      }
    }),
  );
});

test('newcomers are refused while the roster is full of active callers, and let in once those fell silent', () => {
  const roster = new Roster({ capacity: 2, now: 0, create: () => ({}) });
  const first = roster.enter('first', 0);
  roster.enter('second', 0);
  assert.equal(roster.enter('third', 59_999), undefined);
  assert.equal(roster.enter('first', 59_999), first, 'who is known stays known');
  assert.equal(roster.enter('third', 60_000), undefined);
  assert.equal(roster.untilTurn(60_000), WINDOW);
  assert.notEqual(roster.enter('third', 120_000), undefined);
});

test('what is forgotten is handed over once', () => {
  const dropped: string[] = [];
  const roster = new Roster({
    capacity: 9,
    now: 0,
    create: () => ({}),
    dropped: (entries) => {
      for (const [name] of entries) dropped.push(name);
    },
  });
  roster.enter('silent', 0);
  roster.enter('active', 0);
  for (const time of [60_000, 120_000]) roster.enter('active', time);
  assert.deepEqual(dropped, ['silent']);
  roster.clear();
  assert.deepEqual(dropped, ['silent', 'active']);
});
