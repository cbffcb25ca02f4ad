// Column yield: rents against prices of the same homes, from the facts in memory.

import type { Steps, Task } from '../lib/scheduler.ts';
import { idOf, textAt } from '../search/engine/columns/ids.ts';
import { quantileSteps } from '../search/engine/questions/quantiles.ts';
import type { Period } from './calendar.ts';
import { eventWall, scopeRows, visitRows } from './fact-scan.ts';
import { EVENT, EVENT_KINDS, EVENT_WIDTH, type FactPart } from './facts/fact-columns.ts';
import type { Facts } from './facts/fact-writer.ts';
import type { ListingScope } from './store.ts';
import { wallTimeOf } from './wall-time.ts';

/** How many yields there are, and their quartiles. */
export interface YieldRow {
  readonly n: number;
  readonly quartiles: readonly number[] | null;
}

/** As selectSamePropertyYield answers, of the new listings from `start` on and before `end`. */
export async function samePropertyYieldOf(
  facts: Facts,
  rentals: ListingScope,
  sales: ListingScope,
  period: Period,
  task: Task,
): Promise<YieldRow> {
  const rents = await latestPrices(facts, rentals, period, () => true, task);
  const prices = await latestPrices(facts, sales, period, (property) => rents.has(property), task);
  const found: number[] = [];
  for (const [property, { price }] of prices) {
    const rent = rents.get(property)?.price;
    if (rent !== undefined) found.push((12 * rent) / price);
    if (task.shouldYield()) await task.yield();
  }
  return task.run(quartilesOf(found));
}

function* quartilesOf(found: number[]): Steps<YieldRow> {
  const quartiles: number[] = [];
  for (const share of [0.25, 0.5, 0.75]) quartiles.push((yield* quantileSteps(found, share)) ?? 0);
  return { n: found.length, quartiles: found.length === 0 ? null : quartiles };
}

/** The price at which a property was offered last. */
interface Offer {
  readonly at: number;
  readonly part: FactPart;
  readonly row: number;
  readonly price: number;
}

const isNew = Uint8Array.from([
  0,
  ...EVENT_KINDS.map((kind) => Number(kind === 'new' || kind === 'relisted')),
]);

/** The last offer of each of the wanted properties; of two in one moment that of the listing with the greater id. */
async function latestPrices(
  facts: Facts,
  listings: ListingScope,
  { start, end }: Period,
  isWanted: (property: string) => boolean,
  task: Task,
): Promise<ReadonlyMap<string, Offer>> {
  const wall = wallTimeOf(listings.timeZone);
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const latest = new Map<string, Offer>();
  const visitor = (part: FactPart) => {
    const { offsets, values } = part.events;
    return (row: number): void => {
      const last = offsets[row + 1] as number;
      for (let event = offsets[row] as number; event < last; event += EVENT_WIDTH) {
        const price = values[event + EVENT.price] as number;
        if (isNew[values[event + EVENT.kind] as number] !== 1 || !(price > 0)) continue;
        const moment = eventWall(values, event, wall);
        if (moment < from || moment >= to) continue;
        const property = textAt(part.propertyIds, row);
        const offer = { at: values[event + EVENT.at] as number, part, row, price };
        const known = latest.get(property);
        if (isWanted(property) && (known === undefined || isLater(offer, known))) latest.set(property, offer);
      }
    };
  };
  await visitRows(await scopeRows(facts, listings, task), visitor, task);
  return latest;
}

function isLater(one: Offer, other: Offer): boolean {
  if (one.at !== other.at) return one.at > other.at;
  const [id, otherId] = [one, other].map(({ part, row }) => Buffer.from(idOf(part.columns, row)));
  return id !== undefined && otherId !== undefined && Buffer.compare(id, otherId) > 0;
}
