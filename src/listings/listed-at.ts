// When a listing came on the market, as records show it and searches sort it. Pure.

import { formatTime, parseTime } from '../lib/clock.ts';
import { MARKET_START_DATES, parseMoment } from './reported-dates.ts';
import { dateTexts, type StoredRecord } from './stored-record.ts';

/** RFC 3339 in whole milliseconds; null where the source reports neither a day on the market nor a time of entry. */
export function listedAt(record: StoredRecord, timeZone: string): string | null {
  const texts = dateTexts(record);
  const moments = MARKET_START_DATES.map((field) => parseMoment(texts[field], timeZone));
  return formatTime(moments.find((moment) => moment !== null)?.at ?? null);
}

/** When a listing began, as its property orders them; milliseconds since the epoch. */
export function startedAt(listing: {
  readonly record: StoredRecord;
  readonly timeZone: string;
  readonly daysOnMarketStart: string | null;
  readonly createdAt: string;
}): number {
  const { record, timeZone, daysOnMarketStart, createdAt } = listing;
  const times = [listedAt(record, timeZone), daysOnMarketStart, record.closedAt, createdAt];
  return times.map(parseTime).find((at) => at !== null) ?? 0;
}
