// Proves that a budget counts a request when it is sent: who waits for a turn uses nothing yet.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Requests } from '../../src/sources/reso/transport/request.ts';
import { manualClock } from '../support/service/clock.ts';

const { signal } = new AbortController();

test('a request is counted when its turn has come and it is sent, not when it begins to wait', async () => {
  const clock = manualClock();
  const counted: number[] = [];
  const requests = new Requests({
    outbound: {
      send: async () => ({ status: 200, headers: {}, body: Buffer.from('{}') }),
      close: async () => {},
    } as never,
    clock,
    spacing: 500,
    permit: async () => void counted.push(clock.monotonic()),
  });
  const sent = [1, 2, 3].map((number) =>
    requests.send({ kind: 'bulk', url: `http://feed.test/${number}`, signal, headers: {}, maxBytes: 100 }),
  );
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    clock.advance(500);
  }
  await Promise.all(sent);
  assert.deepEqual(counted, [0, 500, 1_000]);
});
