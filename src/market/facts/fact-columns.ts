// Fact columns: listings of one type with the times that they were on the market and what happened to them, as typed arrays.

import type { AreaRows, Columns, Texts } from '../../search/engine/columns/segment.ts';
import type { MarketEventKind } from '../../timeline/property-timeline.ts';

/** An event's kind is its place here, from 1 on. */
export const EVENT_KINDS = [
  'new',
  'relisted',
  'pending',
  'closed',
  'delisted',
  'left',
  'ended',
  'drop',
] as const satisfies MarketEventKind[];

/** Values of a period, in this order: moments in milliseconds, infinite while it lasts; numbers, NaN where unknown. */
export const PERIOD = {
  start: 0,
  end: 1,
  superseded: 2,
  daysOnMarketStart: 3,
  price: 4,
  monthsFree: 5,
} as const;
export const PERIOD_WIDTH = 6;
/** Values of an event: `day` is that of an event known only by its day, in milliseconds. */
export const EVENT = { kind: 0, at: 1, day: 2, price: 3, days: 4, ratio: 5, originalRatio: 6 } as const;
export const EVENT_WIDTH = 7;

/** The values of row r: from offsets[r] up to and without offsets[r + 1], those of a period or event behind each other. */
export interface Details {
  readonly offsets: Uint32Array;
  readonly values: Float64Array;
}

/** Some listings of one type, in memory that threads share. */
export interface FactColumns {
  readonly columns: Columns;
  readonly propertyIds: Texts;
  readonly periods: Details;
  readonly events: Details;
  /** The rows of each area; null where only the columns tell the areas of each row. */
  readonly areas: AreaRows | null;
}

/** The same as they were when they were handed out: what is appended later changes nothing of it. */
export interface FactPart extends FactColumns {
  /** Bit r of word r >> 5: row r is gone. */
  readonly removed: Uint32Array;
}

/** Listings of one type, in parts. */
export type FactTable = readonly FactPart[];
