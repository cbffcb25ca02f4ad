// Machine of a vendor's server and a replica of it: steps that disturb both, and what must hold at the end.

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lookupRows } from '../../../../sample/odata/lookups.ts';
import { NO_QUIRKS } from '../../../../sample/vendors/quirks.ts';
import type { VendorName } from '../../../../sample/vendors/rules.ts';
import { createCatalogue } from '../../../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../../../src/lib/metrics.ts';
import { createOutbound } from '../../../../src/lib/outbound.ts';
import { OWN } from '../../../../src/licence/terms/terms.ts';
import type { Database } from '../../../../src/postgres/client/database.ts';
import { RequestBudget } from '../../../../src/sources/budget/request-budget.ts';
import { type Replication, startReplication } from '../../../../src/sources/replicate.ts';
import { readProfile } from '../../../../src/sources/reso/profiles/profile.ts';
import type { Profile } from '../../../../src/sources/reso/profiles/profile-schema.ts';
import { resoSource } from '../../../../src/sources/reso/transport/client.ts';
import type { Source } from '../../../../src/sources/source.ts';
import { until } from '../../check/until.ts';
import type { Closing } from '../../database/database.ts';
import { manualClock } from '../../service/clock.ts';
import { credentialsOf, SYSTEM, startVendor, type VendorServer } from '../vendor-server.ts';
import { Mortal } from './mortal.ts';
import { SourceHistory } from './source-history.ts';
import { FIELDS, renamedBy, type Step } from './step.ts';

const SECOND = 1_000;
const DAY = 86_400_000;
/** Longer than that of a service: half an hour of quiet has fewer rounds. */
const INTERVAL = 180_000;
const SHOWN = 'InternetEntireListingDisplayYN';
/** Records a page, of which a mass update has some. */
const PAGE = 15;
/** Turns of the event loop in which a reader that has nothing under way goes on by itself. */
const TURNS = 3;

/** Where the machine's databases are. */
export interface MachineStage {
  /** Of the catalogue. */
  readonly database: Database;
  /** Of budgets: its clock follows that of the machine. */
  readonly budgets: Pick<Database, 'transaction' | 'read'>;
  /** Sets the clock of the budgets, in milliseconds since the epoch. */
  readonly setBudgetTime: (now: number) => Promise<void>;
}

/** Of the profiles: small pages, of which there are several. */
export const OVERRIDES: Readonly<Record<VendorName, object>> = {
  bridge: { load: { size: PAGE }, changes: { size: PAGE }, deletes: { sweep: { size: PAGE } } },
  mlsgrid: { originatingSystem: SYSTEM, page: { size: PAGE }, deletes: { sweep: { size: PAGE } } },
  spark: { page: { size: PAGE }, deletes: { sweep: { size: PAGE } } },
  standard: { page: { size: PAGE } },
  trestle: { page: { size: PAGE } },
};

export class VendorMachine {
  readonly id: string;
  readonly server: VendorServer;
  readonly history: SourceHistory;
  readonly profile: Profile;
  readonly #stage: MachineStage;
  readonly #skew: { server: number; ours: number };
  readonly #opened: Source[] = [];
  #reader!: { readonly mortal: Mortal; readonly replication: Replication };
  /** Seconds that a process that dies is away. */
  #away = 0;

  private constructor(
    id: string,
    vendor: VendorName,
    stage: MachineStage,
    server: VendorServer,
    skew: { server: number; ours: number },
  ) {
    this.id = id;
    this.server = server;
    this.#stage = stage;
    this.#skew = skew;
    this.profile = readProfile(vendor, {
      licence: OWN,
      fields: Object.fromEntries(Object.entries(FIELDS).map(([field, other]) => [other, field])),
      ...OVERRIDES[vendor],
    });
    this.#showAll();
    this.history = new SourceHistory(server.world.market);
    this.#start();
  }

  /** A source with this id, whose market is that of the seed; it ends with the test. */
  static async start(
    t: Closing,
    stage: MachineStage,
    vendor: VendorName,
    { id, seed }: { readonly id: string; readonly seed: string },
  ): Promise<VendorMachine> {
    const skew = { server: 0, ours: 0 };
    const clock = manualClock();
    const stamps = () => clock.now() + skew.server;
    const server = await startVendor(t, vendor, { size: 40, seed, clock, stamps });
    const machine = new VendorMachine(id, vendor, stage, server, skew);
    t.after(() => machine.#stop());
    await machine.#passUntil(() => machine.#reader.replication.status().loadedAt !== null);
    return machine;
  }

  /** All may be shown, so that of each the changes are told; and none has open houses, which pass without a modification. */
  #showAll(): void {
    const { world } = this.server;
    for (const listing of world.market.visible()) {
      listing.openHouses = [];
      if (listing.overrides?.[SHOWN] !== true) world.change(listing.key, { [SHOWN]: true });
    }
  }

  get #clock() {
    return this.server.clock;
  }

  #start(): void {
    const { database, budgets, setBudgetTime } = this.#stage;
    const mortal = new Mortal(this.#clock, () => this.#skew.ours);
    const { clock } = mortal;
    const own = mortal.database(database);
    const synced = async () => setBudgetTime(this.#clock.now());
    const budget = new RequestBudget({
      database: mortal.database({
        ...database,
        read: async (work, options) => synced().then(() => budgets.read(work, options)),
        transaction: async (work, options) => synced().then(() => budgets.transaction(work, options)),
      }),
      clock,
      connection: this.id,
      limits: this.profile.limits,
      live: this.profile.live !== false,
    });
    const source = resoSource({
      id: this.id,
      name: 'Vendor',
      profile: this.profile,
      url: `${this.server.url}/odata`,
      credentials: credentialsOf(this.server),
      outbound: mortal.outbound(createOutbound({ clock })),
      clock,
      permit: budget.permit,
      observed: budget.observed,
    });
    this.#opened.push(source);
    const replication = startReplication({
      source,
      catalogue: createCatalogue(own),
      database: own,
      clock,
      metrics: createMetrics(),
      log: { info: () => {}, warn: () => {} },
      interval: INTERVAL,
      random: () => 0,
    });
    this.#reader = { mortal, replication };
  }

  async #stop(): Promise<void> {
    const { mortal, replication } = this.#reader;
    if (!mortal.isDead) await replication.stop();
    for (const source of this.#opened) await source.close();
  }

  /** Another process takes over from one that is dead. */
  async #revive(): Promise<void> {
    this.#clock.advance(this.#away * SECOND);
    await this.#stage.database.write(
      (sql) => sql`
        update work_lease set leased_until = clock_timestamp() - interval '1 second' where name = ${`reading of ${this.id}`}`,
    );
    this.#start();
  }

  /** Waits until the reader waits for nothing but time. */
  async #settle(): Promise<void> {
    let quiet = 0;
    await until('the reader waits for time', async () => {
      if (this.#reader.mortal.isDead) {
        quiet = 0;
        // What it had sent comes to its end first.
        if (this.#reader.mortal.busy === 0) await this.#revive();
        return false;
      }
      for (let turn = 0; turn < 20 && quiet < TURNS; turn += 1) {
        await nextTurn();
        const { busy, waiting } = this.#reader.mortal;
        quiet = busy === 0 && waiting > 0 ? quiet + 1 : 0;
      }
      return quiet >= TURNS;
    });
  }

  async #passUntil(condition: () => boolean): Promise<void> {
    for (let moves = 0; moves < 20_000; moves += 1) {
      await this.#settle();
      if (condition()) return;
      this.#clock.advance(this.#clock.nextIn);
    }
    assert.fail('It never comes');
  }

  async pass(seconds: number): Promise<void> {
    const end = this.#clock.now() + seconds * SECOND;
    for (;;) {
      await this.#settle();
      const left = end - this.#clock.now();
      if (left <= 0) return;
      this.#clock.advance(Math.min(left, this.#clock.nextIn));
    }
  }

  /** Takes a step. */
  async take(step: Step): Promise<void> {
    const { world, vendor, refusals } = this.server;
    switch (step.kind) {
      case 'pass':
        return this.pass(step.value);
      case 'day':
        // As a computer that sleeps: what was due happens at once.
        this.#clock.advance(DAY);
        return;
      case 'market':
        world.advance(step.value);
        this.#showAll();
        break;
      case 'touch':
        vendor.touch();
        break;
      case 'spell':
        // Names with annotations are not spelled in two ways.
        if (vendor.rules.enumerations !== 'plain') return;
        this.server.respell();
        this.history.noteRespelled();
        return;
      case 'rename': {
        const names = lookupRows.filter(({ LookupName }) => LookupName === step.lookup);
        const { LookupValue: name = '' } = names[step.value % names.length] ?? {};
        vendor.lookups.rename(step.lookup, name, `${name} of ${step.value}`);
        this.history.noteRenamed();
        return;
      }
      case 'quirk':
        vendor.quirks = { ...NO_QUIRKS, ...step.quirks, renamed: vendor.quirks.renamed };
        return;
      case 'field':
        vendor.quirks = { ...vendor.quirks, renamed: renamedBy(step, vendor.quirks.renamed) };
        return;
      case 'refuse':
        refusals.push(...step.refusals);
        return;
      case 'kill':
        this.#away = step.seconds;
        this.#reader.mortal.dieAfter(step.calls);
        return;
      case 'clock':
        this.#skew[step.whose] = step.minutes * 60 * SECOND;
        return;
      case 'rekey': {
        const key = this.history.keyAt(step.which);
        world.rekey(key, `${key}-${this.history.keys.length}`);
        break;
      }
      case 'remove':
        world.remove(this.history.keyAt(step.which));
        break;
      case 'return':
        world.restore(this.history.keyAt(step.which));
        break;
      case 'price':
        world.change(this.history.keyAt(step.which), { ListPrice: step.value });
        break;
      case 'photos':
        world.change(this.history.keyAt(step.which), { PhotosCount: step.value % 9 });
        break;
      default:
        world.change(this.history.keyAt(step.which), {
          StandardStatus: ['Active', 'Pending', 'Hold', 'Withdrawn', 'Closed'][step.value % 5],
        });
    }
    this.history.note();
  }

  /** Everything works again, for as long as it takes to notice: changes that come late, and what left without a word. */
  async calm(): Promise<void> {
    const { vendor } = this.server;
    vendor.quirks = { ...NO_QUIRKS, renamed: vendor.quirks.renamed };
    this.server.refusals.length = 0;
    this.#reader.mortal.dieAfter(Number.POSITIVE_INFINITY);
    this.#skew.server = 0;
    this.#skew.ours = 0;
    // Longer than any retry, and than what is published late; then the rarest list of all keys is due.
    await this.pass(1_500);
    this.#clock.advance(7 * DAY);
    await this.pass(2 * (INTERVAL / SECOND));
    assert.equal(this.#reader.replication.status().failure, null);
  }
}
