// Proves over random histories that a replica ends exactly as its source, whatever the server does meanwhile.
// VENDOR_RUNS: histories for each vendor; default 1.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_QUIRKS, type Quirks } from '../../../sample/vendors/quirks.ts';
import { VENDORS } from '../../../sample/vendors/rules.ts';
import { replicateVendor, type VendorReplica } from '../../support/sources/vendor-server.ts';

const RUNS = Number(process.env.VENDOR_RUNS ?? 1);
const DAY = 86_400_000;

type Step =
  | { readonly kind: 'change' | 'remove' | 'restore'; readonly which: number; readonly value: number }
  | { readonly kind: 'advance' | 'pass'; readonly value: number }
  | { readonly kind: 'touch' | 'sweep' }
  | { readonly kind: 'quirk'; readonly quirks: Partial<Quirks> };

const which = fc.nat(59);
const quirks: fc.Arbitrary<Partial<Quirks>> = fc.oneof(
  fc.record({ staleLinks: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ emptyMedia: fc.constant(true) }),
  fc.record({ late: fc.integer({ min: 1, max: 240 }) }),
  fc.record({ truncatedKeys: fc.integer({ min: 0, max: 40 }) }),
  fc.record({ slowAbove: fc.integer({ min: 5, max: 20 }) }),
  fc.record({ errors: fc.constantFrom('html' as const, 'text' as const, 'success' as const) }),
  fc.record({ oddTypes: fc.constant(true) }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('change' as const, 'remove' as const, 'restore' as const),
    which,
    value: fc.integer({ min: 50_000, max: 900_000 }),
  }),
  fc.record({ kind: fc.constant('advance' as const), value: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('pass' as const), value: fc.integer({ min: 1, max: 150 }) }),
  fc.record({ kind: fc.constantFrom('touch' as const, 'sweep' as const) }),
  fc.record({ kind: fc.constant('quirk' as const), quirks }),
);

async function take(replica: VendorReplica, keys: readonly string[], next: Step): Promise<void> {
  const { world, vendor, clock } = replica;
  const keyOf = (which: number) => keys[which % keys.length] ?? '';
  switch (next.kind) {
    case 'pass':
      return replica.pass(next.value);
    case 'advance':
      return void world.advance(next.value);
    case 'touch':
      return void vendor.touch();
    case 'sweep':
      return clock.advance(DAY);
    case 'quirk':
      vendor.quirks = { ...NO_QUIRKS, ...next.quirks };
      return;
    case 'remove':
      return void world.remove(keyOf(next.which));
    case 'restore':
      return void world.restore(keyOf(next.which));
    default:
      world.change(keyOf(next.which), { ListPrice: next.value });
  }
}

/** Entries of the histories of all listings: what did not change gets none. */
async function countEvents({ database }: VendorReplica): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ n: number }[]>`select count(*)::int as n from listing_event`,
  );
  return row?.n ?? 0;
}

for (const vendor of VENDORS) {
  test(`${vendor}: the replica ends as its source, and what did not change has no new event`, {
    skip: RUNS === 0,
  }, async (t) => {
    const histories = fc.sample(fc.array(step, { minLength: 6, maxLength: 14 }), {
      numRuns: RUNS,
      seed: 43 + vendor.length,
    });
    for (const history of histories)
      await t.test(JSON.stringify(history).slice(0, 300), async (each) => {
        const replica = await replicateVendor(each, vendor, { overrides: { page: { size: 20 } } });
        await replica.load();
        const keys = [...replica.world.market.visible()].map(({ key }) => key);
        for (const next of history) await take(replica, keys, next);
        replica.vendor.quirks = NO_QUIRKS;
        // Later than any retry, and than what is published late; a night and the week of the rarest sweep follow.
        await replica.pass(1_500);
        replica.clock.advance(7 * DAY);
        await replica.pass(240);
        await replica.assertSame();
        assert.equal(replica.replication.status().failure, null);
        const before = await countEvents(replica);
        replica.vendor.touch();
        await replica.pass(180);
        assert.equal(await countEvents(replica), before);
      });
  });
}
