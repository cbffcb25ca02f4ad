// Proves that a reader which is killed again and again, as processes are, loses nothing and tells nothing twice.
// VENDOR_RUNS: also of all vendors; else of the one with the strictest rules.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { VENDORS, type VendorName } from '../../../sample/vendors/rules.ts';
import { createRandom } from '../../support/check/random.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { type Child, startProgram } from '../../support/process/children.ts';
import { startService } from '../../support/service/service.ts';
import { SourceHistory } from '../../support/sources/machine/source-history.ts';
import { readStored } from '../../support/sources/machine/stored.ts';
import { assertToldOnce, readTold } from '../../support/sources/machine/told.ts';
import { OVERRIDES } from '../../support/sources/machine/vendor-machine.ts';
import type { ReaderOptions } from '../../support/sources/reader-child.ts';
import { credentialsOf, startVendor } from '../../support/sources/vendor-server.ts';

const CHECKED: readonly VendorName[] = process.env.VENDOR_RUNS === undefined ? ['mlsgrid'] : VENDORS;
const KILLS = 5;

const at = { after };
const stored = await testDatabase(at);
const service = await startService(at, { createDatabase: async () => stored });

for (const vendor of CHECKED)
  test(`${vendor}: processes that are killed between and inside of rounds leave the catalogue of the source`, async (t) => {
    const random = createRandom(43);
    const server = await startVendor(t, vendor, { size: 40, now: Date.now });
    const { world, requests } = server;
    const showAll = [...world.market.visible()];
    for (const listing of showAll) {
      listing.openHouses = [];
      world.change(listing.key, { InternetEntireListingDisplayYN: true });
    }
    const history = new SourceHistory(world.market);
    const id = `killed-${vendor}`;
    const options: ReaderOptions = {
      databaseUrl: stored.url,
      id,
      url: `${server.url}/odata`,
      credentials: credentialsOf(server),
      lease: { duration: 600, renewal: 100 },
      profile: { name: vendor, overrides: OVERRIDES[vendor] },
    };
    const start = (): Child => startProgram(t, 'sources/reader-child.ts', [JSON.stringify(options)]);
    const isSame = async () =>
      JSON.stringify([...(await readStored(stored.database, id))]) === JSON.stringify([...history.shown]);

    let child = start();
    assert.equal(await child.line(), '{"reads":true}');
    const begun = await readTold(service, { id, history });
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let change = 0; change < 3; change += 1) {
        const key = history.keyAt(random.below(40));
        if (random.chance(0.3)) server.vendor.touch();
        else world.change(key, { ListPrice: 50_000 + random.below(800_000), PhotosCount: random.below(10) });
        history.note();
      }
      const seen = requests.length + 1 + random.below(6);
      await until('it has sent some requests', () => requests.length >= seen);
      child.kill('SIGKILL');
      await child.ended;
      child = start();
    }
    await until('the catalogue is that of the source', isSame);
    server.vendor.touch();
    const touched = requests.length;
    await until('all are read once more', () => requests.length >= touched + 4);
    assertToldOnce({ history }, (await readTold(service, { id, history }, begun.sequence)).changes);
    assert.equal(server.vendor.quota.refusals, 0);
  });
