// Long run of a disk that fails under PostgreSQL's own calls, which strace makes fail: too slow for every change.

import { join } from 'node:path';
import { test } from 'node:test';
import { startChaosApp } from '../../support/chaos/app.ts';
import { failCalls, tracingFault } from '../../support/chaos/disk.ts';
import { endure } from '../../support/chaos/endure.ts';
import { temporaryFolder } from '../../support/database/database.ts';

for (const [calls, error, what] of [
  ['fdatasync,fsync', 'EIO', 'cannot flush'],
  ['pwrite64,pwritev', 'EIO', 'cannot write'],
  ['pwrite64,pwritev', 'ENOSPC', 'has no room for what is written'],
] as const) {
  test(`a disk that ${what} (${error}) refuses writes and loses none; when it works again all goes on by itself`, async (t) => {
    const fault = await tracingFault();
    if (fault !== undefined) return t.skip(fault);
    const dataDirectory = join(await temporaryFolder(t, 'disk'), 'data');
    const app = await startChaosApp(t, { source: 'none', dataDirectory });
    let stop: (() => Promise<void>) | undefined;
    await endure(t, app, {
      async begin() {
        stop = failCalls(t, dataDirectory, calls, error);
      },
      end: async () => stop?.(),
    });
  });
}
