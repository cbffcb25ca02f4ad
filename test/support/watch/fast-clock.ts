// Clock that runs fast, the same in all processes that are given the same time.

import { type Clock, systemClock } from '../../../src/lib/clock.ts';

export interface FastTime {
  /** Milliseconds: what it shows at `start` of the system's clock. */
  readonly shown: number;
  readonly start: number;
  /** Its seconds in one of the system's. */
  readonly speed: number;
}

export const fastClock = ({ shown, start, speed }: FastTime): Clock => ({
  ...systemClock,
  now: () => shown + Math.floor((Date.now() - start) * speed),
});
