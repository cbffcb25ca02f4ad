// Proves that memory is bounded and that nobody who called within the last minute is forgotten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecentCallers } from './recent-callers.ts';
import { WINDOW } from './sliding-window-log.ts';

test('an entry is the same for at least 60 seconds after its last use, whoever else comes', () => {
  const call = fc.record({
    name: fc.integer({ min: 0, max: 30 }),
    wait: fc.integer({ min: 0, max: 20_000 }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
      const roster = new RecentCallers({ capacity: 8, now: 0, create: () => ({}) });
      const last = new Map<string, { time: number; entry: object }>();
      let now = 0;
      for (const { name, wait } of calls) {
        now += wait;
        const entry = roster.getOrCreate(String(name), now);
        const known = last.get(String(name));
        if (known !== undefined && now - known.time <= WINDOW) assert.equal(entry, known.entry);
        if (entry !== undefined) last.set(String(name), { time: now, entry });
        assert.ok(roster.size <= 8);
      }
    }),
  );
});

test('newcomers are refused while the roster is full of active callers, and let in once those fell silent', () => {
  const roster = new RecentCallers({ capacity: 2, now: 0, create: () => ({}) });
  const first = roster.getOrCreate('first', 0);
  roster.getOrCreate('second', 0);
  assert.equal(roster.getOrCreate('third', 59_999), undefined);
  assert.equal(roster.getOrCreate('first', 59_999), first, 'who is known stays known');
  assert.equal(roster.getOrCreate('third', 60_000), undefined);
  assert.equal(roster.timeUntilRotation(60_000), WINDOW);
  assert.notEqual(roster.getOrCreate('third', 120_000), undefined);
});

test('what is forgotten is handed over once', () => {
  const evicted: string[] = [];
  const roster = new RecentCallers({
    capacity: 9,
    now: 0,
    create: () => ({}),
    onEvict: (entries) => {
      for (const [name] of entries) evicted.push(name);
    },
  });
  roster.getOrCreate('silent', 0);
  roster.getOrCreate('active', 0);
  for (const time of [60_000, 120_000]) roster.getOrCreate('active', time);
  assert.deepEqual(evicted, ['silent']);
  roster.clear();
  assert.deepEqual(evicted, ['silent', 'active']);
});
