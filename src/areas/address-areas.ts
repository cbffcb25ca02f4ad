// Areas without boundaries, made from the addresses of listings: countries, states, counties, cities and postal codes. Pure.

import type { AreaType } from '../listings/vocabulary.ts';
import type { AreaDraft } from './area.ts';
import { areaId } from './area.ts';

/** The parts of an address that name areas, as written. */
export interface AddressNames {
  readonly city: string | null;
  readonly county: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}

/** The source of these areas. */
export const ADDRESS_AREAS = 'addresses';

/**
 * The areas that addresses name, each once, as the first address that is not all capitals or small letters writes it. Parents are states and countries alone: a city
 * may lie in several counties, and an area without a boundary contains what its children contain.
 */
export function addressAreas(addresses: readonly AddressNames[]): AreaDraft[] {
  const areas = new Map<string, AreaDraft>();
  const add = (type: AreaType, within: readonly (string | null)[], parent: string | null): string | null => {
    const [name] = within;
    if (!name?.trim()) return parent;
    const externalId = within.filter((text) => text?.trim()).join(' ');
    const id = areaId(type, externalId);
    const known = areas.get(id);
    if (!known || (!isMixed(known.name) && isMixed(name)))
      areas.set(id, { ...draft(type, externalId, name.trim()), parentReference: parent });
    return id;
  };
  for (const { city, county, state, postalCode, country } of addresses) {
    const nation = add('country', [country], null);
    const region = add('state', [state, country], nation);
    add('county', [county, state, country], region);
    add('city', [city, state, country], region);
    add('postal_code', [postalCode, country], nation);
  }
  return [...areas.values()];
}

/** Whether the case of its letters shows how the name is written. */
const isMixed = (name: string): boolean => /\p{Lu}/u.test(name) && /\p{Ll}/u.test(name);

const draft = (type: AreaType, externalId: string, name: string): Omit<AreaDraft, 'parentReference'> => ({
  type,
  externalId,
  name,
  aliases: [],
  codes: {},
  population: null,
  boundary: null,
});
