// Proof that a full disk is never a false success: what was confirmed stays, the rest is refused, and it heals.

import { join } from 'node:path';
import { test } from 'node:test';
import { startChaosApp } from '../support/chaos/app.ts';
import { mountSmallDisk } from '../support/chaos/disk.ts';
import { endure } from '../support/chaos/endure.ts';

const MEBIBYTES = 160;

test('a disk that runs full refuses writes and loses none; when there is room again all goes on by itself', async (t) => {
  const disk = await mountSmallDisk(t, MEBIBYTES);
  if (typeof disk === 'string') return t.skip(disk);
  const app = await startChaosApp(t, { source: 'none', dataDirectory: join(disk.folder, 'data') });
  await endure(t, app, {
    async begin() {
      await disk.fill();
      // What is written next needs a new file, which there is no room for.
      await app.administration.write((sql) => sql`select pg_switch_wal()`).catch(() => {});
    },
    end: disk.makeRoom,
  });
});
