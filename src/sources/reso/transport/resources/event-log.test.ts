// Proves that events are read by their sequences, each record once, and that nothing unreadable stops them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from './event-log.ts';

const event = (
  EntityEventSequence: unknown,
  ResourceRecordKey: unknown,
  ResourceName: unknown = 'Property',
) => ({
  EntityEventSequence,
  ResourceName,
  ResourceRecordKey,
});

test('a record that several events name counts once, where the last of them stands', () => {
  const page = readEvents([event(5, 'a'), event(9, 'b'), event(12, 'a'), event(12, 'a', 'Media')], '4');
  assert.deepEqual(page, {
    named: [
      { resource: 'Property', key: 'b' },
      { resource: 'Property', key: 'a' },
      { resource: 'Media', key: 'a' },
    ],
    reached: '12',
    isSorted: true,
    unreadable: 0,
  });
});

test('sequences of more digits than a double has keep their order, and earlier ones say nothing', () => {
  const page = readEvents([event('9007199254740995', 7), event('9007199254740993', 8)], '9007199254740993');
  assert.deepEqual(page.named, [{ resource: 'Property', key: '7' }]);
  assert.equal(page.reached, '9007199254740995');
  assert.equal(page.isSorted, false);
});

test('events without a key, a name or a sequence are counted, and their sequence is passed', () => {
  const page = readEvents([event(1, ''), event(2, 'a', 7), event('x', 'a'), {}], '0');
  assert.deepEqual(page, { named: [], reached: '2', isSorted: true, unreadable: 4 });
  assert.equal(readEvents([], '3').reached, null);
});
