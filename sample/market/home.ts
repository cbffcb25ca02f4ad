// Home: the lasting facts of a place, which its listings share.

export type HomeKind =
  | 'house'
  | 'townhouse'
  | 'condo'
  | 'coop'
  | 'apartment'
  | 'cabin'
  | 'manufactured'
  | 'duplex'
  | 'triplex'
  | 'quadruplex'
  | 'multi'
  | 'land'
  | 'office'
  | 'retail'
  | 'mixed';

/** A building with units of its own: its homes share address, age and amenities. */
export interface Building {
  readonly index: number;
  readonly name: string | null;
  readonly stories: number;
  readonly units: number;
  readonly yearBuilt: number;
  readonly address: Address;
  /** 0 plain to 1 full service. */
  readonly service: number;
}

export interface Address {
  readonly neighborhood: number;
  readonly postal: number;
  readonly streetNumber: number;
  readonly streetName: string;
  readonly streetSuffix: string;
  /** Degrees. */
  readonly longitude: number;
  readonly latitude: number;
  /** Whether the lot touches sea, river or lake. */
  readonly shore: boolean;
}

export interface Home {
  readonly index: number;
  readonly kind: HomeKind;
  readonly address: Address;
  readonly unit: string | null;
  readonly floor: number | null;
  readonly building: Building | null;
  readonly bedrooms: number | null;
  readonly bathsFull: number | null;
  readonly bathsHalf: number | null;
  /** Square feet indoors; null for land. */
  readonly area: number | null;
  /** Square feet of ground; null where there is no lot of its own. */
  readonly lot: number | null;
  readonly yearBuilt: number | null;
  readonly stories: number | null;
  readonly garage: number;
  readonly pool: boolean;
  readonly waterfront: boolean;
  /** What it would fetch when the price index is 1, dollars. */
  readonly value: number;
  /** Association fee a month, dollars. */
  readonly fee: number | null;
  readonly units: number | null;
  /** Source of all derived details, so that they never change. */
  readonly seed: number;
}

/** Kinds in which people live one household to a listing. */
export function isDwelling(kind: HomeKind): boolean {
  return !isCommercial(kind) && kind !== 'land';
}

export function isCommercial(kind: HomeKind): boolean {
  return kind === 'office' || kind === 'retail' || kind === 'mixed';
}

export function isInBuilding(kind: HomeKind): boolean {
  return kind === 'condo' || kind === 'coop' || kind === 'apartment';
}
