// Heartbeat of a processor: it comes each millisecond, before all other programs. Tells in a line when it came late.

import { writeSync } from 'node:fs';

/** Milliseconds. */
const BEAT = 1;
const LATE = 2;
const STDOUT = 1;

if (import.meta.main) {
  const never = new Int32Array(new SharedArrayBuffer(4));
  /** Milliseconds on the monotonic clock of the system at which that of this process began. */
  const origin = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  writeSync(STDOUT, 'ready\n');
  for (;;) {
    const begun = performance.now() + BEAT;
    Atomics.wait(never, 0, 0, BEAT);
    const ended = performance.now();
    if (ended - begun < LATE) continue;
    writeSync(STDOUT, `${Math.round(1_000 * (origin + begun))} ${Math.round(1_000 * (origin + ended))}\n`);
  }
}
