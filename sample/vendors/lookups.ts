// Lookups of a vendor: those of the market, of which some were renamed.

import region from '../names/region.json' with { type: 'json' };
import { lookupRows } from '../odata/lookups.ts';
import type { Clock } from '../world.ts';

export class VendorLookups {
  readonly #clock: Clock;
  /** What values are called now, and since when, by their lookups and first names. */
  readonly #renamed = new Map<string, { readonly value: string; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls a value by another name from now on, in records too; false: there is no value of this first name. */
  rename(lookup: string, first: string, value: string): boolean {
    const isKnown = lookupRows.some((row) => row.LookupName === lookup && row.LookupValue === first);
    if (isKnown) this.#renamed.set(`${lookup} ${first}`, { value, at: this.#clock() });
    return isKnown;
  }

  /** A value as people read it now. */
  readonly textOf = (lookup: string, first: string): string =>
    this.#renamed.get(`${lookup} ${first}`)?.value ?? first;

  rows(): Readonly<Record<string, unknown>>[] {
    return lookupRows.map((row) => {
      const renamed = this.#renamed.get(`${row.LookupName} ${row.LookupValue}`);
      return {
        ...row,
        OriginatingSystemName: region.originatingSystem,
        ...(renamed && {
          LookupValue: renamed.value,
          ModificationTimestamp: new Date(renamed.at).toISOString(),
        }),
      };
    });
  }
}
