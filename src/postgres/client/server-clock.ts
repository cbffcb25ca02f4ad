// Clock of the database server as its connections read it, for deadlines that PostgreSQL keeps by its own time.

import type { Clock } from '../../lib/clock.ts';
import type { Connection } from './connection.ts';

/** A time by the server's clock; `infinity`: none. */
export type ServerTime = Date | 'infinity';

/** Milliseconds after which the clock is read again: in a minute two clocks drift apart by a few milliseconds. */
const FRESH = 60_000;

interface Reading {
  /** Wall-clock milliseconds of the server, at some moment between question and answer. */
  readonly time: number;
  /** Our monotonic time when the answer had come. */
  readonly received: number;
}

export class ServerClock {
  readonly #clock: Clock;
  /** Each connection leads to one server, and nobody knows whether the next leads to the same. */
  readonly #readings = new WeakMap<Connection, Reading>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The time that the server's clock shows at a moment of our monotonic clock, or a little earlier: by no more than a
   * round trip. Holds whatever the difference of the two clocks, as long as the server's is not set within a minute.
   */
  async timeAt(connection: Connection, moment: number): Promise<ServerTime> {
    if (moment === Number.POSITIVE_INFINITY) return 'infinity';
    const known = this.#readings.get(connection);
    const isFresh = known !== undefined && this.#clock.monotonic() - known.received < FRESH;
    const { time, received } = isFresh ? known : await this.#read(connection);
    return new Date(time + Math.floor(moment - received));
  }

  /** To be called when a deadline was missed: the server's clock may have been set. */
  forget(connection: Connection): void {
    this.#readings.delete(connection);
  }

  async #read(connection: Connection): Promise<Reading> {
    const [row] = await connection.sql<{ now: string }[]>`select clock_timestamp() as now`;
    const reading = { time: Date.parse(row?.now ?? ''), received: this.#clock.monotonic() };
    this.#readings.set(connection, reading);
    return reading;
  }
}
