// Places of a file compared with the areas that were imported, where there is a database already.

import { Placement } from '../../areas/placement.ts';
import { findPlacedAreas } from '../../areas/write-store.ts';
import { readConfig } from '../../config.ts';
import type { Place } from '../../import/places.ts';
import { NO_ADDRESS } from '../../listings/draft.ts';
import { hasCluster } from '../../postgres/embedded/cluster-home.ts';
import { openCommandDatabase } from '../database.ts';

/** How many places lie in no area; null where no area has a boundary, or no database can be asked. */
export async function placesOutside(
  places: readonly Place[],
): Promise<{ readonly compared: number; readonly outside: number } | null> {
  const config = readConfig();
  if (places.length === 0 || (config.databaseUrl === null && !(await hasCluster(config.dataDirectory))))
    return null;
  try {
    const opened = await openCommandDatabase(config);
    try {
      const areas = (await opened.database.read(findPlacedAreas)).filter(({ boundary }) => boundary !== null);
      if (areas.length === 0) return null;
      const placement = new Placement(areas);
      const outside = places.filter(({ lat, lng }) => placement.place({ lat, lng }, NO_ADDRESS).length === 0);
      return { compared: places.length, outside: outside.length };
    } finally {
      await opened.close();
    }
  } catch {
    // An inspection is of the file: a database that does not answer is no fault of it.
    return null;
  }
}
