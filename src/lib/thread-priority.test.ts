// Proves that a thread that lowers its priority lowers that of no other.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const skip = process.platform === 'linux' ? false : 'only Linux knows priorities of single threads';

test('a thread lowers its own priority alone', { skip }, async () => {
  const before = getPriority();
  const code = `
    const { readlinkSync } = require('node:fs');
    const { getPriority } = require('node:os');
    const { parentPort, workerData } = require('node:worker_threads');
    void import(workerData).then(({ lowerThreadPriority }) => {
      lowerThreadPriority();
      parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));
    });`;
  const workerData = new URL('./thread-priority.ts', import.meta.url).href;
  const worker = new Worker(code, { eval: true, workerData });
  const [priority] = await once(worker, 'message');
  await worker.terminate();
  assert.equal(priority, Math.max(before, constants.priority.PRIORITY_BELOW_NORMAL));
  assert.equal(getPriority(), before);
});
