// What fetching of pictures needs of their source: permission, the header that its profile names, and pictures on request.

import type { PictureLists } from '../../listings/pictures/own-pictures.ts';

/** Pictures of a listing with addresses that can be fetched once. */
export interface RequestedPictures extends PictureLists {
  /** What names the present version of a picture, by its id. */
  readonly versions: Readonly<Record<string, string>>;
  /** When they changed, as the source says; null: it does not. */
  readonly changedAt: string | null;
}

/** A listing by what its source knows it by. */
export interface ListingNames {
  readonly key: string;
  /** Its public number; null: not known. */
  readonly listingId: string | null;
}

export interface PictureSource {
  /** Resolves with null once a picture may be requested, or with the milliseconds for which none may. */
  permit(signal: AbortSignal): Promise<number | null>;
  /** Notes what a request has cost. */
  observed(bytes: number): void;
  /** Headers of a request to this address; none where it is another host than the profile names. */
  headers(url: string, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /**
   * The pictures of a listing, where their addresses can be fetched once; null: it shows none any more. A number: milliseconds for which
   * the source wants no request. Absent where addresses last.
   */
  readonly request?: (
    listing: ListingNames,
    signal: AbortSignal,
  ) => Promise<RequestedPictures | number | null>;
}

/** Of sources without a budget and a header of their own: files, and programs that push. */
export const PLAIN_SOURCE: PictureSource = {
  permit: async () => null,
  observed: () => {},
  headers: async () => ({}),
};
