// Stored listings are written again where they have what the terms of their source withhold by now; the source is shown afterwards.

import { isDeepStrictEqual } from 'node:util';
import type { Placement } from '../../areas/placement.ts';
import { type Clock, MINUTE } from '../../lib/clock.ts';
import type { PeriodicWork } from '../../lib/periodic-work.ts';
import { findOutOfLine, noteInLine, type OutOfLine } from '../../licence/licence-store.ts';
import { WITHHOLDS_NOTHING, type Withholding } from '../../licence/terms/terms.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../../postgres/leases/leased-work.ts';
import { lockListings } from '../listing-store.ts';
import { commitWrites } from '../listing-writer.ts';
import { PlacementCache } from '../placement-cache.ts';
import { storedDraft } from '../stored-draft.ts';
import { type ListingWrite, type PreviousListing, planWrite } from '../write-plan.ts';
import { deleteClosePrices, deleteResoOf, findNextOf } from './terms-store.ts';
import { withhold } from './withhold.ts';

export interface BringIntoLineOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two rounds. */
const PAUSE = 5_000;
/** Milliseconds after which every writer of a source's listings has read its new terms. */
const SETTLED = MINUTE;
/** Listings of one transaction. */
const BATCH = 200;
/** Milliseconds. */
const TIMEOUT = 60_000;

export function startBringingIntoLine({ database, clock, report }: BringIntoLineOptions): PeriodicWork {
  const placements = new PlacementCache();
  const findDue = () => {
    const settled = new Date(clock.now() - SETTLED);
    return database.read((sql) => findOutOfLine(sql, settled));
  };
  return startLeasedWork({
    database,
    clock,
    report,
    name: 'terms of stored listings',
    pause: PAUSE,
    isDue: async () => (await findDue()).length > 0,
    async work(lease, isOver) {
      for (const each of await findDue()) await bring(lease, each, isOver);
    },
  });

  async function bring(lease: HeldLease, due: OutOfLine, isOver: () => boolean): Promise<void> {
    const rules: Withholding = { ...WITHHOLDS_NOTHING, ...due.terms };
    for (let after: string | null = ''; after !== null; ) {
      if (isOver()) return;
      const from: string = after;
      after = await lease.transaction(
        async (tx) => {
          const areas = await placements.load(tx);
          const last = await rewriteNext(tx, {
            source: due.source,
            rules,
            after: from,
            areas,
            now: clock.now(),
          });
          if (last === null) await noteInLine(tx, due);
          return last;
        },
        { timeout: TIMEOUT },
      );
    }
  }
}

interface Batch {
  readonly source: string;
  readonly rules: Withholding;
  /** A key of the source. */
  readonly after: string;
  readonly areas: Placement;
  readonly now: number;
}

/** Writes the next listings again that have what is withheld. Gives the last key, null after the last listing. */
async function rewriteNext(
  tx: Transaction,
  { source, rules, after, areas, now }: Batch,
): Promise<string | null> {
  const found = await findNextOf(tx, source, after, BATCH);
  const last = found.at(-1);
  if (last === undefined) return null;
  const ids = found.map(({ id }) => id);
  const { listings } = await lockListings(tx, ids, []);
  const writes = [...listings.values()].flatMap((before) => planRewrite(before, rules, areas, now) ?? []);
  if (rules.hiddenFields.length > 0) await deleteResoOf(tx, ids);
  if (rules.hiddenFields.includes('closePrice')) await deleteClosePrices(tx, ids);
  // Nothing happened to the homes: nobody is notified.
  await commitWrites(tx, writes, now, true);
  return last.key;
}

/** Null where nothing is withheld that the listing has. */
function planRewrite(
  before: PreviousListing,
  rules: Withholding,
  areas: Placement,
  now: number,
): ListingWrite | null {
  const stored = storedDraft(before);
  const draft = withhold(withPictures(stored, rules), rules);
  const isInLine = isDeepStrictEqual({ ...draft, media: null }, { ...stored, media: null });
  const hidesPaid = rules.hiddenFields.includes('closePrice') && before.status === 'CLOSED';
  if (isInLine && !(hidesPaid && draft.listPrice === null && before.record.previousPrice !== null))
    return null;
  const write = planWrite(before.source, draft, before, areas, now, undefined, undefined, true);
  if (write === null) return null;
  const { record } = write;
  return {
    ...write,
    // The asking price that is gone was the price paid.
    record:
      hidesPaid && record.price === null ? { ...record, previousPrice: null, priceChange: null } : record,
    clock: before.clock,
    events: [],
    corrections: null,
  };
}

/** Copies of pictures that are hidden go with them. */
function withPictures(draft: ReturnType<typeof storedDraft>, { hiddenFields }: Withholding) {
  return hiddenFields.includes('photos') ? { ...draft, media: { mode: 'proxy' as const } } : draft;
}
