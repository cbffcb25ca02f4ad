// Proof that a source that dies takes nothing with it: the service serves on, says so, and the sample market comes back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endProcess, familyOf, type RunningProcess, survivors } from '../support/chaos/service.ts';
import { until } from '../support/check/until.ts';
import { startService, type TestService } from '../support/service/service.ts';

interface Page {
  readonly data: readonly { readonly id: string; readonly provider: { readonly listingKey: string } }[];
}

interface Health {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
}

async function market(): Promise<RunningProcess | undefined> {
  return (await familyOf(process.pid)).find(({ command }) => command.includes('sample/main.ts'));
}

/** Moves time in small steps until the condition holds: replication and restarts wait by the clock. */
async function inTime(service: TestService, what: string, condition: () => Promise<boolean>): Promise<void> {
  await until(what, async () => {
    service.clock.advance(500);
    return condition();
  });
}

async function sourceCheck(service: TestService) {
  const { status, checks } = (await service.json('/readyz?verbose')) as Health;
  return { status, source: checks.find(({ name }) => name === 'source') };
}

test('when the sample market is killed the service serves on and says so; the market comes back and is followed', async (t) => {
  const service = await startService(t, { source: 'sample' });
  const search = '/v1/search/rentals?limit=1';
  const [rental] = ((await service.json(search, service.keys.internal)) as Page).data;
  assert.ok(rental !== undefined);
  const change = (price: number) =>
    service.control('POST', '/control/change', {
      key: rental.provider.listingKey,
      set: { ListPrice: price },
    });
  const followed = (price: number) =>
    inTime(service, 'the change is read', async () => {
      const path = `/v1/search/rentals?minPrice=${price}&maxPrice=${price}`;
      const { data } = (await service.json(path, service.keys.internal)) as Page;
      return data.some(({ id }) => id === rental.id);
    });
  await change(4_321);
  await followed(4_321);
  for (const price of [5_432, 6_543]) {
    const killed = await market();
    assert.ok(killed !== undefined);
    endProcess(killed.pid, 'SIGKILL');
    assert.deepEqual(await survivors([killed]), []);
    // The round of changes comes before the market does: its start takes real time.
    service.clock.advance(20_000);
    await until('the source check tells of it', async () => {
      service.clock.advance(10);
      const { status, source } = await sourceCheck(service);
      return status === 'ok' && source?.ok === false && /fails/.test(source.detail ?? '');
    });
    await service.json(search, service.keys.internal);
    await inTime(service, 'the market is back', async () => {
      const found = await market();
      return found !== undefined && found.pid !== killed.pid;
    });
    await until('it answers', () =>
      change(price).then(
        () => true,
        () => false,
      ),
    );
    await followed(price);
    assert.equal((await sourceCheck(service)).source?.ok, true);
  }
});
