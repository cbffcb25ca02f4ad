// Proof that every process sees a change of a listing within its bound, by its property, in searches and in pages of the engine, in
// simulated worlds of late and lost notifications, connections that break or fall silent, and clocks that differ.
// SIM_RUNS: histories; SIM_SEED: of the first; SIM_NODES: most processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANGES_CHANNEL } from '../../../src/changes/change-store.ts';
import { LISTINGS_CHANNEL } from '../../../src/listings/property-cache.ts';
import {
  NotifyingDatabase,
  type NotifyingLink,
  READ_TIMEOUT,
} from '../../support/simulation/notifying-database.ts';
import { CatalogueModel, payloadOf, ReadingNode } from '../../support/simulation/reading-node.ts';
import { repeat, suffer } from '../../support/simulation/troubles.ts';
import { World } from '../../support/simulation/world.ts';

const RUNS = Number(process.env.SIM_RUNS ?? 6);
const SEED = Number(process.env.SIM_SEED ?? 1);
const NODES = Number(process.env.SIM_NODES ?? 6);
/** Milliseconds of a history of few processes; of many it is shorter. */
const LENGTH = 300_000;
const PROPERTIES = 5;
/** Milliseconds for which nothing is believed without a word, as decision 0010 promises; behind which an answer says how old it is. */
const LIFETIME = 5_000;
/** What is requested: those of caches that notifications end more often. */
const KINDS = ['property', 'property', 'listing', 'listing', 'closed', 'closed', 'market', 'page'] as const;
type Kind = (typeof KINDS)[number];

/** What was wrong for longer than it may be, and how long which answers were those of before, in milliseconds. */
interface Judged {
  readonly faults: string[];
  readonly longest: Map<Kind, number>;
  answers: number;
}

async function runHistory(seed: number, nodes: number): Promise<Judged> {
  const world = new World(seed);
  const catalogue = new CatalogueModel(PROPERTIES);
  const model = new NotifyingDatabase(world, catalogue.execute);
  const judged: Judged = { faults: [], longest: new Map(), answers: 0 };
  const processes = Array.from({ length: nodes }, () => {
    const link: NotifyingLink = {
      state: 'open',
      delay: world.pick([30, 400, 1_400]),
      notified: 300,
      loss: 0.3,
    };
    return new ReadingNode(world, model, catalogue, link);
  });
  repeat(world, 500, 12_000, () => {
    const property = Math.floor(world.between(0, PROPERTIES));
    catalogue.change(property, world.now);
    model.notify(LISTINGS_CHANNEL, payloadOf(property, catalogue.sequence));
    model.notify(CHANGES_CHANNEL, '');
  });
  for (const node of processes) {
    suffer(world, model, node.link);
    repeat(world, 0, 500, () => void ask(world, catalogue, node, judged).catch(() => {}));
  }
  await world.run(LENGTH * Math.min(1, 10 / nodes));
  return judged;
}

/** One request of a process, of any kind. It fails where the database cannot be reached. */
async function ask(
  world: World,
  catalogue: CatalogueModel,
  node: ReadingNode,
  judged: Judged,
): Promise<void> {
  const sent = world.now;
  const { sequence, changes } = catalogue;
  const versions = [...catalogue.versions];
  const { joinedAt } = node;
  const notified = new Set(node.notified);

  /** Judges an answer that lacks the change with this sequence; `isNotified`: notifications end what it may come from. */
  function judge(what: Kind, missed: number, bound: number, isNotified: boolean): void {
    judged.answers++;
    const change = changes[missed - 1];
    if (change === undefined || missed > sequence) return;
    const late = sent - change.at;
    judged.longest.set(what, Math.max(judged.longest.get(what) ?? 0, late));
    const answer = `${what} at ${sent.toFixed(0)} lacks a change ${late.toFixed(0)} ms ago`;
    if (late > bound) judged.faults.push(`${answer}, at most ${bound.toFixed(0)}`);
    if (isNotified && (notified.has(missed) || joinedAt > change.at))
      judged.faults.push(`${answer}, of which its process was notified`);
  }
  const judgeVersion = (what: Kind, property: number, version: number, bound: number): void => {
    const isOld = version < (versions[property] ?? 0);
    const missed = isOld ? catalogue.sequenceOf(property, version + 1) : sequence + 1;
    judge(what, missed, bound, what !== 'page');
  };

  const kind = world.pick(KINDS);
  const which = Math.floor(world.between(0, PROPERTIES));
  if (kind === 'property') judgeVersion(kind, which, await node.property(which), LIFETIME);
  if (kind === 'listing') judgeVersion(kind, which, await node.listing(which), LIFETIME);
  // Of an answer that was long in the making the five seconds begin when it is there.
  if (kind === 'closed') judge(kind, (await node.closed(which)) + 1, LIFETIME + READ_TIMEOUT, true);
  if (kind === 'market') {
    const { sequence: known, lagMs } = await node.onMarket(which);
    judge(kind, known + 1, lagMs ?? LIFETIME, false);
  }
  if (kind === 'page')
    for (const [property, version] of (await node.page()).entries())
      judgeVersion(kind, property, version, LIFETIME);
}

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  const nodes = 2 + (seed % (NODES - 1));
  test(`history ${seed}: ${nodes} processes, and changes that some are not notified of`, async (t) => {
    const { faults, longest, answers } = await runHistory(seed, nodes);
    assert.deepEqual(faults.slice(0, 5), [], `SIM_SEED=${seed}: ${faults.length} faults`);
    assert.ok(longest.size >= 3, 'answers of several kinds are those of before');
    const told = [...longest].map(([what, late]) => `${what} ${(late / 1_000).toFixed(1)} s`).sort();
    t.diagnostic(`${answers} answers; the latest of before a change: ${told.join(', ')}`);
  });
}
