// Groups of blocks: the zones of many blocks taken together, so that a search for a town looks at few of a large market.

import type { Zones } from '../columns/segment.ts';

/** Blocks of a group. */
export const GROUP_BLOCKS = 16;

const KNOWN = new WeakMap<Zones, Zones>();

/** The lowest and highest value of each group; NaN where no block has any. Remembered for as long as the zones are. */
export function groupsOf(zones: Zones): Zones {
  const groups = KNOWN.get(zones) ?? {
    min: extremesOf(zones.min, (value, least) => value < least),
    max: extremesOf(zones.max, (value, most) => value > most),
  };
  KNOWN.set(zones, groups);
  return groups;
}

function extremesOf(
  values: Float64Array,
  isBeyond: (value: number, extreme: number) => boolean,
): Float64Array {
  const extremes = new Float64Array(Math.ceil(values.length / GROUP_BLOCKS)).fill(Number.NaN);
  for (const [block, value] of values.entries()) {
    const group = Math.floor(block / GROUP_BLOCKS);
    const extreme = extremes[group] as number;
    if (Number.isNaN(extreme) || isBeyond(value, extreme)) extremes[group] = value;
  }
  return extremes;
}
