// Proves that a thread holds memory as long as somebody here has its owner, and no longer.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { collect } from '../../../../test/support/check/collect-garbage.ts';
import { holdUntilCollected } from './last-holder.ts';

test('the thread ends once the owner of the memory is collected, and not before', async () => {
  let owner: { readonly rows: Uint8Array } | null = { rows: new Uint8Array(new SharedArrayBuffer(1_000)) };
  const thread = holdUntilCollected(owner, owner);
  await once(thread, 'online');
  let hasEnded = false;
  const ended = once(thread, 'exit').then(() => {
    hasEnded = true;
  });
  for (let round = 0; round < 20; round++) {
    collect();
    await turn();
  }
  assert.deepEqual([hasEnded, owner.rows.length], [false, 1_000]);
  owner = null;
  // Were it never to end, nothing would keep this process, and the test would fail with it.
  for (let round = 0; round < 1_000 && !hasEnded; round++) {
    collect();
    await turn();
  }
  await ended;
});
