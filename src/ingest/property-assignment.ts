// Assignment of listings to properties: by the best evidence that no other listing of the property contradicts.

import {
  type HomeEvidence,
  type IdentifiedHome,
  identifyHome,
  isContradicted,
  propertyIdentities,
} from './identity.ts';

/** The listing that a property was first made for: what others must not contradict. */
export interface FirstListing {
  readonly id: string;
  readonly home: HomeEvidence;
}

/** The property of a listing as it is stored, and the evidence then. */
export interface PresentProperty {
  readonly propertyId: string;
  readonly home: HomeEvidence;
}

export interface AssignedProperty {
  readonly propertyId: string;
  readonly identity: string;
  /** Whether the property keeps its id under another identity than the one that the id is a digest of. */
  readonly renamed: boolean;
}

export class PropertyAssignment {
  readonly #renamed: ReadonlyMap<string, string>;
  readonly #first: Map<string, FirstListing>;
  readonly #homes: ReadonlyMap<string, IdentifiedHome>;

  /**
   * @param renamed ids of properties by identities that their ids are no digests of
   * @param first the first listing of each property, by its id
   * @param homes those that are identified already, by the ids of their listings
   */
  constructor(
    renamed: ReadonlyMap<string, string> = new Map(),
    first: ReadonlyMap<string, FirstListing> = new Map(),
    homes: ReadonlyMap<string, IdentifiedHome> = new Map(),
  ) {
    this.#renamed = renamed;
    this.#first = new Map(first);
    this.#homes = homes;
  }

  /** The property of a listing, which counts for those that are assigned after it; `present` is null for a new listing. */
  assign(id: string, home: HomeEvidence, present: PresentProperty | null): AssignedProperty {
    const { identities } = this.#homes.get(id) ?? identifyHome(home);
    const [best] = identities;
    // Its id stays with the listing that it was made for, unless the source corrects what makes it this home.
    if (
      best !== undefined &&
      present &&
      this.#isFirst(id, present) &&
      propertyIdentities(present.home)[0] === best.identity
    ) {
      const isFree = !this.#renamed.has(best.identity) && !this.#first.has(best.propertyId);
      const renamed = best.propertyId !== present.propertyId && isFree;
      return { propertyId: present.propertyId, identity: best.identity, renamed };
    }
    for (const { identity, propertyId } of identities) {
      const property = this.#renamed.get(identity) ?? propertyId;
      const first = this.#first.get(property);
      if (first && first.id !== id && isContradicted(first.home, home)) continue;
      if (!first) this.#first.set(property, { id, home });
      return { propertyId: property, identity, renamed: false };
    }
    throw new Error(`The listing ${id} contradicts itself`);
  }

  #isFirst(id: string, present: PresentProperty): boolean {
    return this.#first.get(present.propertyId)?.id === id;
  }
}
