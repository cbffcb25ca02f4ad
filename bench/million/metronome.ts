// Clock of an open load: a thread that sleeps to each moment, more exact than a timer beside other work.

import { parentPort, workerData } from 'node:worker_threads';
import { random } from '../market.ts';

const { rate, seconds } = workerData as { readonly rate: number; readonly seconds: number };
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const next = random(3);
const now = (): number => performance.timeOrigin + performance.now();

const end = now() + seconds * 1000;
for (let at = now(); at < end; at += gap()) {
  const left = at - now();
  if (left > 0) Atomics.wait(sleeper, 0, 0, left);
  parentPort?.postMessage(at);
}
parentPort?.postMessage(null);

/** Milliseconds to the next moment, which does not depend on how long it has been since the last. */
function gap(): number {
  return (-Math.log(1 - next()) / rate) * 1000;
}
