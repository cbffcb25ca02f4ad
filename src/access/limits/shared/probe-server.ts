// What a counting server is and how far away it is, for those who look before they count there.

import { systemClock } from '../../../lib/clock.ts';
import { CountingTooSlow } from './counting-server.ts';
import { limitedTo } from './limited-to.ts';
import { CONNECT_LIMIT, connect } from './redis-connection.ts';
import type { ServerFacts } from './suitable-server.ts';

export interface ProbedServer {
  readonly facts: ServerFacts;
  /** Median of ten round trips, in milliseconds. */
  readonly roundTrip: number;
}

const ROUND_TRIPS = 10;

/** Connects, measures and closes; writes nothing. Throws UnsuitableServer, CountingTooSlow, or what the connection says. */
export async function probeServer(url: string): Promise<ProbedServer> {
  const { facts, send, destroy } = await connect(url);
  try {
    const times: number[] = [];
    for (let at = 0; at < ROUND_TRIPS; at++) {
      const sentAt = systemClock.monotonic();
      const late = () => new CountingTooSlow(`The counting server did not answer within ${CONNECT_LIMIT} ms`);
      await limitedTo(CONNECT_LIMIT, send(`{${at}}`, ['TIME']), late);
      times.push(systemClock.monotonic() - sentAt);
    }
    return { facts, roundTrip: times.toSorted((one, other) => one - other)[ROUND_TRIPS / 2] ?? 0 };
  } finally {
    destroy();
  }
}
