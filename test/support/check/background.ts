// Work in the background: whether a service does any at the moment.

import type { Clock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { until } from './until.ts';

/** Turns of the event loop without a change after which nothing is under way. */
const QUIET_TURNS = 20;

/** Waits until no round of background work is under way: the database is idle, and the number of timers stays the same. */
export async function backgroundAtRest(service: {
  readonly database: Database;
  readonly clock: Clock & { readonly waiting: number };
}): Promise<void> {
  const { database, clock } = service;
  let [timers, quiet] = [-1, 0];
  await until('background work is at rest', () => {
    quiet = database.status().busy === 0 && clock.waiting === timers ? quiet + 1 : 0;
    timers = clock.waiting;
    return quiet >= QUIET_TURNS;
  });
}
