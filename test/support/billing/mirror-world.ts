// Processes that check keys by one mirror, in a world whose clocks the test moves: theirs, and the database's.

import { KeyVerifier } from '../../../src/access/keys/key-verifier.ts';
import { SubscriptionCache } from '../../../src/access/keys/subscription-cache.ts';
import { Mirror } from '../../../src/billing/mirror.ts';
import { Problem } from '../../../src/lib/problem.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { type DatabaseTime, moveableTime } from './database-time.ts';
import type { MemoryService } from './memory-service.ts';

/** A process that checks keys. No notification reaches it: what it knows grows old by itself. */
export interface KeyProcess {
  readonly mirror: Mirror;
  readonly keys: KeyVerifier;
  /** `in`, or the code of the refusal. */
  use(key: string): Promise<string>;
}

export interface MirrorWorld {
  /** Milliseconds that have passed, in truth. */
  readonly passed: number;
  readonly clock: ManualClock;
  /** Counts what is under way, so that `settle` waits for it. */
  readonly database: Database;
  readonly processes: KeyProcess[];
  readonly ended: string[];
  /** Starts a process in place of one, which forgets all it knew; without a number one more. */
  start(replaced?: number): KeyProcess;
  /** Lets time pass for all processes, and for the database unless it is told otherwise. */
  pass(milliseconds: number, database?: number): Promise<void>;
  /** Until everything is done that needs no time and no answer of the service. */
  settle(): Promise<void>;
}

const ATTEMPT = { begin: () => {} } as never;

/** The database must be one of the test's own: its clock is stopped. */
export async function mirrorWorld(
  t: Closing,
  { database, service }: { readonly database: Database; readonly service: MemoryService },
): Promise<MirrorWorld> {
  const time: DatabaseTime = await moveableTime(database);
  const counted = countOperations(database);
  const clock: ManualClock = manualClock(Date.UTC(2026, 0, 5, 12));
  const processes: KeyProcess[] = [];
  const ended: string[] = [];
  atEnd(t, async () => {
    for (const { mirror } of processes) await mirror.close();
  });
  const world: MirrorWorld = {
    get passed() {
      return clock.monotonic();
    },
    clock,
    database: counted.database,
    processes,
    ended,
    start(replaced = processes.length) {
      const former = processes[replaced];
      if (former !== undefined) void former.mirror.close();
      const started = startProcess({ database: counted.database, clock, service, ended });
      processes[replaced] = started;
      return started;
    },
    async pass(milliseconds, ofDatabase = milliseconds) {
      await time.advance(ofDatabase);
      clock.advance(milliseconds);
      await world.settle();
    },
    async settle() {
      for (let quiet = 0; quiet < 5; quiet++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (counted.running() > 0) quiet = -1;
      }
    },
  };
  return world;
}

function startProcess({
  database,
  clock,
  service,
  ended,
}: {
  readonly database: Database;
  readonly clock: ManualClock;
  readonly service: MemoryService;
  readonly ended: string[];
}): KeyProcess {
  const mirror = new Mirror({
    database,
    clock,
    service,
    endGrants: async (_, reference) => void ended.push(reference),
  });
  const subscriptions = new SubscriptionCache({ provider: mirror, clock, report: () => {} });
  const keys = new KeyVerifier(subscriptions);
  return {
    mirror,
    keys,
    async use(key) {
      try {
        await keys.verify(key, ATTEMPT);
        return 'in';
      } catch (error) {
        if (error instanceof Problem) return error.code;
        throw error;
      }
    },
  };
}

/** The same database, which tells how many operations are under way. */
function countOperations(database: Database): { readonly database: Database; running(): number } {
  let running = 0;
  const counted = <Result>(operation: Promise<Result>): Promise<Result> => {
    running++;
    return operation.finally(() => running--);
  };
  return {
    running: () => running,
    database: {
      ...database,
      read: (work, options) => counted(database.read(work, options)),
      write: (work, options) => counted(database.write(work, options)),
      transaction: (work, options) => counted(database.transaction(work, options)),
    },
  };
}
