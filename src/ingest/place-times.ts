// Times of open houses that a source writes as clocks at the place show them. Pure.

import type { Placement } from '../areas/placement.ts';
import type { ListingDraft, OpenHouse } from '../listings/draft.ts';
import { clockTime, DEFAULT_TIME_ZONE } from '../listings/local-time.ts';
import { stateTimeZone } from '../listings/state-time-zones.ts';

const isLocal = (time: string | null): time is string => time !== null && !time.endsWith('Z');

/** The draft with every time of its open houses in UTC: those without Z are of the zone of its areas, else of its state. */
export function withPlaceTimes(draft: ListingDraft, placement: Placement): ListingDraft {
  const { openHouses, address, location } = draft;
  const isAnyLocal = openHouses?.some(({ startsAt, endsAt }) => isLocal(startsAt) || isLocal(endsAt));
  if (openHouses === null || !isAnyLocal) return draft;
  const ofAreas = placement.timeZone(placement.place(location, address));
  const ofState = stateTimeZone(address.state, address.country);
  const zone = ofAreas === DEFAULT_TIME_ZONE ? (ofState ?? ofAreas) : ofAreas;
  return { ...draft, openHouses: openHouses.map((house) => inUtc(house, zone)) };
}

function inUtc(house: OpenHouse, timeZone: string): OpenHouse {
  const moment = (time: string): string =>
    isLocal(time) ? new Date(clockTime(Date.parse(`${time}Z`), timeZone)).toISOString() : time;
  const endsAt = house.endsAt === null ? null : moment(house.endsAt);
  return { ...house, startsAt: moment(house.startsAt), endsAt };
}
