// Open houses, as expanded beside a record.

import type { OpenHouse } from '../../../listings/draft.ts';
import { type FieldReader, parseTime } from './decode.ts';
import { displayValue } from './enumerations.ts';

const CLOCK = /^\d{2}:\d{2}(:\d{2})?$/;

/** Some servers send the times of day beside the date. */
function momentOf(house: FieldReader, field: string): string | null {
  const stated = house.text(field);
  const date = house.date('OpenHouseDate');
  if (stated !== null && date !== null && CLOCK.test(stated)) return parseTime(`${date}T${stated}`);
  return house.time(field);
}

function readOpenHouse(house: FieldReader): OpenHouse[] {
  const startsAt = momentOf(house, 'OpenHouseStartTime');
  if (startsAt === null) return [];
  const type = house.text('OpenHouseType');
  const status = house.text('OpenHouseStatus');
  return [
    {
      id: house.text('OpenHouseKey') ?? house.text('OpenHouseId') ?? startsAt,
      startsAt,
      endsAt: momentOf(house, 'OpenHouseEndTime'),
      type: type === null ? null : displayValue('OpenHouseType', type),
      status: status === null ? null : displayValue('OpenHouseStatus', status),
      remarks: house.text('OpenHouseRemarks'),
      livestreamUrl: house.url('LivestreamOpenHouseURL'),
      appointmentRequired: house.flag('AppointmentRequiredYN'),
    },
  ];
}

/** By start; null when the answer did not carry them. One that does not say when it starts helps nobody. */
export function openHouses(record: FieldReader): OpenHouse[] | null {
  const children = record.children('OpenHouse', 'OpenHouses');
  if (children === null) return null;
  const byId = new Map(children.flatMap(readOpenHouse).map((house) => [house.id, house]));
  return [...byId.values()].sort((a, b) => (a.startsAt < b.startsAt ? -1 : a.startsAt > b.startsAt ? 1 : 0));
}
