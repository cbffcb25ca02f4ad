// Plan of endings: the writes that give listings the status of an end. Pure.

import type { Placement } from '../../areas/placement.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import type { Status } from '../../listings/vocabulary.ts';
import { endingDraft } from '../stored-draft.ts';
import { type ListingWrite, type PreviousListing, planWrite } from '../write-plan.ts';

interface Ending {
  readonly source: string;
  readonly areas: Placement;
  readonly observedAt: number;
  readonly endedAs: Status;
}

/** Writes that give listings the status of an end. */
export async function planEndings(
  { source, areas, observedAt, endedAs }: Ending,
  listings: readonly PreviousListing[],
): Promise<ListingWrite[]> {
  const writes: ListingWrite[] = [];
  await eventLoop.forEach(listings, (before) => {
    if (before.status === endedAs) return;
    const draft = endingDraft(before, observedAt, endedAs);
    const write = planWrite(source, draft, before, areas, observedAt);
    if (write === null) return;
    // The source does not say when: it is dated when it was noticed.
    const observed = { at: observedAt, origin: 'observed' } as const;
    writes.push({ ...write, events: write.events.map((event) => ({ ...event, ...observed })) });
  });
  return writes;
}
