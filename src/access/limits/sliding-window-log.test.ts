// Proves the log against the plain definition, a list of times, filtered; and that the map of callers is bounded and forgets nobody who
// called within the last minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecentCallers, SlidingWindowLog, WINDOW } from './sliding-window-log.ts';

test('a request leaves exactly 60.000 s after its admission, not a moment earlier', () => {
  const ring = new SlidingWindowLog();
  ring.add(1_000);
  assert.equal(ring.count(60_999.999), 1);
  assert.equal(ring.count(61_000), 0);
});

test('whatever the times of calls, as many places are used as admissions lie within the last 60 seconds', () => {
  const step = fc.oneof(
    fc.constantFrom(0, 1, WINDOW - 1, WINDOW, WINDOW + 1),
    fc.integer({ min: 0, max: 9_000 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 40 }), (steps, quota) => {
      const ring = new SlidingWindowLog();
      const admitted: number[] = [];
      let now = 0;
      for (const wait of steps) {
        now += wait;
        const inside = admitted.filter((time) => now - time < WINDOW);
        assert.equal(ring.count(now), inside.length);
        if (inside.length < quota) {
          ring.add(now);
          admitted.push(now);
        } else {
          const free = now + ring.timeUntilFree(quota, now);
          assert.equal(free, (inside[0] ?? 0) + WINDOW, 'the wait ends when the oldest leaves');
        }
      }
    }),
  );
});

test('nothing is forgotten when the memory grows, wherever in it the oldest request stands', () => {
  for (let early = 0; early < 4; early++) {
    const ring = new SlidingWindowLog();
    for (let count = 0; count < early; count++) ring.add(count);
    assert.equal(ring.count(WINDOW + early), 0);
    for (let count = 0; count < 30; count++) ring.add(WINDOW + early + count);
    for (let count = 0; count < 30; count++) assert.equal(ring.count(2 * WINDOW + early + count), 29 - count);
  }
});

test('a quota that was lowered is waited for until enough old requests have left', () => {
  const ring = new SlidingWindowLog();
  for (const time of [0, 1_000, 2_000, 3_000]) ring.add(time);
  assert.equal(ring.count(4_000), 4);
  assert.equal(ring.timeUntilFree(2, 4_000), 2_000 + WINDOW - 4_000);
});

test('an entry is the same for at least 60 seconds after its last use, whoever else comes', () => {
  const call = fc.record({
    name: fc.integer({ min: 0, max: 30 }),
    wait: fc.integer({ min: 0, max: 20_000 }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
      const callers = new RecentCallers({ capacity: 8, now: 0, create: () => ({}) });
      const last = new Map<string, { time: number; entry: object }>();
      let now = 0;
      for (const { name, wait } of calls) {
        now += wait;
        const entry = callers.getOrCreate(String(name), now);
        const known = last.get(String(name));
        if (known !== undefined && now - known.time <= WINDOW) assert.equal(entry, known.entry);
        if (entry !== undefined) last.set(String(name), { time: now, entry });
        assert.ok(callers.size <= 8);
      }
    }),
  );
});

test('newcomers are refused while the callers is full of active callers, and let in once those fell silent', () => {
  const callers = new RecentCallers({ capacity: 2, now: 0, create: () => ({}) });
  const first = callers.getOrCreate('first', 0);
  callers.getOrCreate('second', 0);
  assert.equal(callers.getOrCreate('third', 59_999), undefined);
  assert.equal(callers.getOrCreate('first', 59_999), first, 'who is known stays known');
  assert.equal(callers.getOrCreate('third', 60_000), undefined);
  assert.equal(callers.timeUntilRotation(60_000), WINDOW);
  assert.notEqual(callers.getOrCreate('third', 120_000), undefined);
});

test('what is forgotten is handed over once', () => {
  const evicted: string[] = [];
  const callers = new RecentCallers({
    capacity: 9,
    now: 0,
    create: () => ({}),
    onEvict: (entries) => {
      for (const [name] of entries) evicted.push(name);
    },
  });
  callers.getOrCreate('silent', 0);
  callers.getOrCreate('active', 0);
  for (const time of [60_000, 120_000]) callers.getOrCreate('active', time);
  assert.deepEqual(evicted, ['silent']);
  callers.clear();
  assert.deepEqual(evicted, ['silent', 'active']);
});

test('a full map has room for those it knows, and for others once the silent ones are evicted', () => {
  const callers = new RecentCallers({ capacity: 1, now: 0, create: () => new SlidingWindowLog() });
  assert.ok(callers.hasRoom('a', 0));
  callers.getOrCreate('a', 0);
  assert.deepEqual([callers.hasRoom('a', 1), callers.hasRoom('b', 1)], [true, false]);
  assert.ok(!callers.hasRoom('b', WINDOW), 'it was not silent for a whole minute yet');
  assert.ok(callers.hasRoom('b', 2 * WINDOW));
});
