// Upkeep of sources: those no longer configured are named or forgotten, interrupted removals go on, and the sample goes once it is replaced.

import { findSourcesInUse } from '../ingest/removal/source-lock-store.ts';
import { type Clock, MINUTE } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import type { HeldLease } from '../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../postgres/leases/leased-work.ts';
import { describeStored, findAbandoned, SAMPLE } from './abandoned.ts';
import { removeSource, SourceInUse } from './removal.ts';
import { findForgotten, findRemovals, isAnotherLoaded, isStored } from './removal-store.ts';

export interface SourceUpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly report: (error: unknown) => void;
  /** The source of the settings of this process; null: none. */
  readonly source: { readonly id: string } | null;
}

/** Milliseconds between two rounds. */
const PAUSE = 15_000;
/** Milliseconds for which nobody must have read the sample: a reader that lost its connection comes back earlier. */
const UNREAD = MINUTE;
/** Milliseconds to count all listings. */
const COUNT_TIMEOUT = 60_000;

export function startSourceUpkeep(options: SourceUpkeepOptions): PeriodicWork {
  const upkeep = new SourceUpkeep(options);
  return startLeasedWork({
    ...options,
    name: 'removal of sources',
    pause: PAUSE,
    isDue: () => upkeep.isDue(),
    work: (lease, isOver) => upkeep.run(lease, isOver),
  });
}

class SourceUpkeep {
  readonly #options: SourceUpkeepOptions;
  #isFirst = true;
  /** Monotonic milliseconds since when nobody reads the sample, as far as it was seen. */
  #unreadSince: number | null = null;

  constructor(options: SourceUpkeepOptions) {
    this.#options = options;
  }

  async isDue(): Promise<boolean> {
    if (this.#isFirst) await this.#warn();
    this.#isFirst = false;
    return (await this.#findDue()).length > 0;
  }

  async run(lease: HeldLease, isOver: () => boolean): Promise<void> {
    for (const source of await this.#findDue()) await this.#remove(source, lease, isOver);
  }

  async #warn(): Promise<void> {
    const { database, log, source } = this.#options;
    const abandoned = await database.read((sql) => findAbandoned(sql, source?.id ?? null), {
      timeout: COUNT_TIMEOUT,
    });
    for (const each of abandoned) {
      const { id, listings, areas } = each;
      const later = id === SAMPLE ? ', or a complete import or first load of another source does' : '';
      log.warn(
        { event: 'source', source: id, listings, areas },
        `The source "${id}" is not configured any more, and its ${describeStored(each)} are still served: ` +
          `\`freehold sources remove ${id}\` removes them${later}`,
      );
    }
  }

  /** Interrupted removals, what is to be forgotten, and the sample where it is replaced. */
  async #findDue(): Promise<string[]> {
    const { database, clock, source } = this.#options;
    const removals = await database.read(findRemovals);
    const forgotten = await database.read((sql) => findForgotten(sql, new Date(clock.now())));
    const started = removals.map((removal) => removal.source);
    const due = [...new Set([...started, ...forgotten])].filter((id) => id !== source?.id);
    return (await this.#isSampleDue()) ? [...new Set([...due, SAMPLE])] : due;
  }

  async #isSampleDue(): Promise<boolean> {
    const { database, clock, source } = this.#options;
    if (source?.id === SAMPLE) return false;
    const isReplaced = await database.read(
      async (sql) =>
        (await isStored(sql, SAMPLE)) &&
        (await isAnotherLoaded(sql, SAMPLE)) &&
        (await findSourcesInUse(sql, [SAMPLE])).length === 0,
    );
    if (!isReplaced) {
      this.#unreadSince = null;
      return false;
    }
    const now = clock.monotonic();
    this.#unreadSince ??= now;
    return now - this.#unreadSince >= UNREAD;
  }

  async #remove(source: string, { hold }: HeldLease, isStopped: () => boolean): Promise<void> {
    const { database, log } = this.#options;
    const place = { event: 'source', source };
    let isAnnounced = false;
    try {
      const removal = await removeSource({
        database,
        source,
        isStopped,
        hold,
        onProgress({ listings, areas }) {
          if (!isAnnounced)
            log.info(place, `Removing the source "${source}": ${describeStored({ listings, areas })}`);
          isAnnounced = true;
        },
      });
      if (removal === null) return;
      const { removed: listings, areas } = removal;
      log.info(
        { ...place, listings, areas },
        `The source "${source}" is removed: ${describeStored({ listings, areas })}`,
      );
    } catch (error) {
      // Its users come first; the next round looks again.
      if (!(error instanceof SourceInUse)) throw error;
    }
  }
}
