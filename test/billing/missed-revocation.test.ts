// Proof that a revocation of which nobody is told counts in two real processes after 600.0 s at most.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ageMirror } from '../support/billing/mirror-processes.ts';
import type { PayingProcessOptions } from '../support/billing/paying-process.ts';
import { startPayingService } from '../support/billing/paying-service.ts';
import { createRandom } from '../support/check/random.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { startClockedProcess } from '../support/service/clocked-process.ts';

const PROGRAM = join(import.meta.dirname, '../support/billing/paying-process.ts');
const KEYS = 30;
const LONGEST = 600_000;
/** Before that by what this test may take on a busy machine: the real clock of the database goes on too, and makes rows older. */
const LATEST = LONGEST - 60_000;

for (const provider of ['polar', 'stripe'] as const) {
  test(`a key that is revoked at ${provider} without a webhook is refused by two processes 600.0 s later at most`, async (t) => {
    const { service, shop, ask } = await startPayingService(t, provider);
    const { clock, databaseUrl } = service;
    const start = async () => {
      const folder = await temporaryFolder(t, 'process');
      const options = { databaseUrl, folder, start: clock.now(), environment: shop.environment };
      return startClockedProcess(t, PROGRAM, options satisfies PayingProcessOptions);
    };
    const processes = await Promise.all([start(), start()]);
    const urls = processes.map(({ port }) => `http://127.0.0.1:${port}`);
    const random = createRandom(12);
    const actions: { readonly at: number; readonly act: () => Promise<unknown> }[] = [];
    let longest = 0;
    let passed = 0;
    const passTo = async (at: number) => {
      if (at <= passed) return;
      clock.advance(at - passed);
      await ageMirror(service.database, at - passed);
      await Promise.all(processes.map((each) => each.advance(at - passed)));
      passed = at;
    };
    /** As a client asks: a renewal that was under way while the clock leapt has failed, and the service rests for a second. */
    const askPatiently = async (key: string, url: string | undefined) => {
      const answer = await ask(key, url);
      if (answer[1] !== 'SUBSCRIPTIONS_UNAVAILABLE') return answer;
      await passTo(passed + 1_000);
      return ask(key, url);
    };
    for (let number = 0; number < KEYS; number++) {
      const key = await shop.buy('pro');
      // Right after one process has asked, or at any time.
      const revokedAt = number % 3 === 0 ? 0 : random.below(300_000);
      const use = async (at: number) => {
        const [status, said] = await askPatiently(key, random.pick(urls));
        assert.ok(status === 200 || said === 'EXPIRED_API_KEY', `${status} ${said}`);
        if (status === 200 && at > revokedAt) longest = Math.max(longest, Math.max(at, passed) - revokedAt);
      };
      assert.deepEqual(await ask(key, urls[0]), [200, 'pro']);
      actions.push({ at: revokedAt, act: async () => shop.cancel(key) });
      // Not used again, used once more in the last moment, read by the other process too, or in use up to the renewal.
      const kind = number % 6;
      const moments = [[], [], [300_000], [LATEST], [500_000], [500_000, LATEST]][kind] ?? [];
      const early = Array.from({ length: kind < 4 ? 0 : 3 }, () => 1 + random.below(moments[0] ?? 1));
      for (const at of [...early, ...moments]) actions.push({ at, act: () => use(at) });
      const end = async () => {
        for (const url of urls) assert.deepEqual(await askPatiently(key, url), [401, 'EXPIRED_API_KEY']);
      };
      actions.push({ at: revokedAt + LONGEST, act: end });
    }
    for (const { at, act } of actions.toSorted((one, other) => one.at - other.at)) {
      await passTo(at);
      await act();
    }
    assert.ok(longest >= LATEST, `the worst case was not reached: ${longest} ms`);
  });
}
