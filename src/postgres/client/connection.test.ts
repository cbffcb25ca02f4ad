// Proof that deadlines by the server's clock hold whatever that clock shows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../test/support/service/clock.ts';
import { MINUTE } from '../../lib/clock.ts';
import { type Connection, ServerClock } from './connection.ts';

/** A connection to a server whose clock is ahead of ours, and which reads it between the two halves of a round trip. */
function setUp({
  ahead,
  there,
  back,
}: {
  readonly ahead: number;
  readonly there: number;
  readonly back: number;
}) {
  const clock = manualClock();
  const server = { ahead, readings: 0 };
  const connection = {
    async sql() {
      clock.advance(there);
      const now = new Date(clock.now() + server.ahead).toISOString();
      clock.advance(back);
      server.readings++;
      return [{ now }];
    },
  } as unknown as Connection;
  return { clock, server, connection, serverClock: new ServerClock(clock) };
}

/** What the server's clock will show at a monotonic moment of ours. */
const shownAt = (clock: ReturnType<typeof manualClock>, moment: number, ahead: number) =>
  clock.now() + (moment - clock.monotonic()) + ahead;

test('a deadline comes no later by the server than by us, and no earlier than by a round trip, however far the clocks differ', async () => {
  const year = 365 * 86_400_000;
  const times = {
    ahead: fc.integer({ min: -year, max: year }),
    there: fc.nat({ max: 500 }),
    back: fc.nat({ max: 500 }),
    pauses: fc.array(fc.nat({ max: 2 * MINUTE }), { maxLength: 6 }),
    wait: fc.nat({ max: 3_000 }),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(times), async ({ pauses, wait, ...line }) => {
      const { clock, serverClock, connection } = setUp(line);
      for (const pause of [0, ...pauses]) {
        clock.advance(pause);
        const moment = clock.monotonic() + wait;
        const deadline = Number(await serverClock.timeAt(connection, moment));
        const early = shownAt(clock, moment, line.ahead) - deadline;
        assert.ok(early >= 0 && early <= line.there + line.back, `${early} ms early`);
      }
    }),
  );
});

test('the clock is read once a minute for each connection, and again after a deadline was missed', async () => {
  const { clock, server, connection, serverClock } = setUp({ ahead: 0, there: 0, back: 0 });
  const readings = async () => {
    await serverClock.timeAt(connection, clock.monotonic());
    return server.readings;
  };
  assert.equal(await readings(), 1);
  clock.advance(MINUTE - 1);
  assert.equal(await readings(), 1);
  clock.advance(1);
  assert.equal(await readings(), 2);
  serverClock.forget(connection);
  assert.equal(await readings(), 3);
});

test('without an end of waiting there is no deadline', async () => {
  const { connection, serverClock } = setUp({ ahead: 0, there: 0, back: 0 });
  assert.equal(await serverClock.timeAt(connection, Number.POSITIVE_INFINITY), 'infinity');
});
