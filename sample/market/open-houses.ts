// OpenHouse records of a listing.
import type { FieldContext } from '../fields/field.ts';
import region from '../names/region.json' with { type: 'json' };
import { type Spelling, spelled } from '../odata/lookups.ts';
import { dateOf } from './calendar.ts';
import type { Listing, OpenHouse } from './listing.ts';

function statusOf(openHouse: OpenHouse, now: number): string {
  if (openHouse.canceled) return 'Canceled';
  return openHouse.end < now ? 'Ended' : 'Active';
}

export function openHousesOf(
  listing: Listing,
  { context, spelling }: { context: FieldContext; spelling: Spelling },
): Record<string, unknown>[] {
  return listing.openHouses.map((openHouse) => ({
    OpenHouseKey: `${listing.key}-OH${openHouse.number}`,
    OpenHouseId: `${listing.id}-${openHouse.number}`,
    ListingKey: listing.key,
    ListingId: listing.id,
    OpenHouseDate: dateOf(openHouse.start),
    OpenHouseStartTime: new Date(openHouse.start).toISOString(),
    OpenHouseEndTime: new Date(openHouse.end).toISOString(),
    OpenHouseStatus: spelled('OpenHouseStatus', statusOf(openHouse, context.now), spelling),
    OpenHouseType: 'Public',
    OpenHouseRemarks: null,
    AppointmentRequiredYN: false,
    LivestreamOpenHouseURL: null,
    OriginalEntryTimestamp: new Date(openHouse.createdAt).toISOString(),
    ModificationTimestamp: new Date(openHouse.modifiedAt).toISOString(),
    OriginatingSystemName: region.originatingSystem,
  }));
}
