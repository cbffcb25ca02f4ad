// Tests of the event bus of one stream of updates.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { StreamBus } from './stream-bus.ts';

function createBus() {
  const clock = manualClock();
  const told: string[] = [];
  const left = { times: 0 };
  const bus = new StreamBus(clock, () => {
    left.times += 1;
  });
  const subscribe = () =>
    bus.subscribe((event) => told.push(event.kind === 'resource_updated' ? event.uri : event.kind));
  return { bus, clock, told, left, subscribe };
}

test('updates before the stream listens are told once it does, each URI once', () => {
  const { bus, told, subscribe } = createBus();
  for (const uri of ['listing://a', 'listing://b', 'listing://a']) bus.update(uri);
  assert.deepEqual(told, []);
  subscribe();
  assert.deepEqual(told, ['listing://a', 'listing://b']);
});

test('the first update is told at once, those of the next second together at its end, each URI once', () => {
  const { bus, clock, told, subscribe } = createBus();
  subscribe();
  bus.update('listing://a');
  assert.deepEqual(told, ['listing://a']);
  for (let update = 0; update < 100; update++) bus.update(update % 2 === 0 ? 'listing://a' : 'listing://b');
  clock.advance(999);
  assert.equal(told.length, 1);
  clock.advance(1);
  assert.deepEqual(told.splice(0), ['listing://a', 'listing://a', 'listing://b']);
  clock.advance(60_000);
  assert.deepEqual(told, [], 'nothing is told twice');
  bus.update('listing://b');
  assert.deepEqual(told, ['listing://b']);
});

test('a stream that left is told nothing, and leaves no timer', () => {
  const { bus, clock, told, left, subscribe } = createBus();
  const leave = subscribe();
  bus.update('listing://a');
  bus.update('listing://b');
  leave();
  bus.update('listing://c');
  clock.advance(5_000);
  assert.deepEqual([told, left.times, clock.waiting], [['listing://a'], 1, 0]);
});
