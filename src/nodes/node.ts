// This process among those on one database: it joins them, and is seen every few seconds until it leaves.

import { type Clock, pause } from '../lib/clock.ts';
import { startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import {
  findNodes,
  GONE_AFTER,
  type Node,
  type NodeFacts,
  prepareToJoin,
  removeNode,
  writeNode,
} from './node-store.ts';

export interface NodeOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly facts: Pick<NodeFacts, 'name' | 'version' | 'source'>;
  readonly report: (error: unknown) => void;
  /** Called with why, where it waits for another process to be gone. */
  readonly onWait?: (why: string) => void;
}

export interface JoinedNode {
  /** From now on it says this of its searches. */
  describe(search: () => Pick<NodeFacts, 'searchState' | 'searchLagMs'>): void;
  stop(): Promise<void>;
}

/** The source that lives in the memory of one process. */
const SAMPLE = 'sample';
/** Milliseconds between two signs of life. */
const SIGN_EVERY = 3_000;
const LOOK_EVERY = 500;

/**
 * Joins the processes on this database. One of the sample market joins no other, since each would serve a market of its own: what is
 * not seen any more is waited for, and then an Error says what to do.
 */
export async function joinNodes(options: NodeOptions): Promise<JoinedNode> {
  const { database, clock, facts, report, onWait } = options;
  const end = clock.monotonic() + GONE_AFTER + 2 * LOOK_EVERY;
  for (let isFirst = true; ; isFirst = false) {
    const inTheWay = await join(database, facts);
    if (inTheWay === null) break;
    if (isFirst) onWait?.(`Waiting until ${inTheWay.name} is gone, which serves this database`);
    if (clock.monotonic() >= end) throw new Error(refusal(facts.source, inTheWay));
    await pause(clock, LOOK_EVERY);
  }
  let search = (): Pick<NodeFacts, 'searchState' | 'searchLagMs'> => STARTING;
  const work = startPeriodicWork({
    clock,
    pause: SIGN_EVERY,
    work: () => database.write((sql) => writeNode(sql, { ...facts, ...search() })),
    report,
  });
  return {
    describe(found) {
      search = found;
    },
    async stop() {
      await work.stop();
      await database.write((sql) => removeNode(sql, facts.name)).catch(report);
    },
  };
}

const STARTING = { searchState: 'starting', searchLagMs: null };

/** Joins, or returns the process beside which this one must not run. */
function join(database: Database, facts: NodeOptions['facts']): Promise<Node | null> {
  return database.transaction(async (tx) => {
    await prepareToJoin(tx, facts.name);
    const others = (await findNodes(tx)).filter(({ isAlive }) => isAlive);
    const inTheWay = others.find(({ source }) => facts.source === SAMPLE || source === SAMPLE);
    if (inTheWay === undefined) await writeNode(tx, { ...facts, ...STARTING });
    return inTheWay ?? null;
  });
}

const refusal = (source: string, { name, source: other }: Node): string =>
  source === SAMPLE
    ? `${name} serves this database, with SOURCE=${other}: the sample market lives in one process and fits beside no other. Set SOURCE=none, or what the others have, or DATABASE_URL to another database.`
    : `${name} serves the sample market on this database, which lives in one process and fits beside no other. Stop it, or let both have SOURCE=${source}.`;
