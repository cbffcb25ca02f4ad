// Encoded listing: the JSON of one version of a listing for one view, without its moving members, which it gets at any moment.

import {
  isVisible,
  lastingMembers,
  type Moments,
  momentsOf,
  movingMembers,
  type ReaderView,
} from './presenter.ts';
import type { Listing } from './record.ts';
import { type Fields, selectFields } from './sparse-fields.ts';
import type { StoredListing } from './store.ts';

/**
 * The listing with the selected fields; null where it is hidden from this reader.
 * @param readAt monotonic milliseconds when its reading began
 */
export function encodeListing(
  stored: StoredListing,
  view: ReaderView,
  fields: Fields,
  readAt: number,
): EncodedListing | null {
  if (!isVisible(stored, view)) return null;
  const lasting = lastingMembers(stored, view);
  const json = JSON.stringify(selectFields(lasting, fields));
  return new EncodedListing(lasting, json, { fields, moments: momentsOf(stored), readAt });
}

interface Moving {
  readonly fields: Fields;
  readonly moments: Moments;
  readonly readAt: number;
}

export class EncodedListing {
  readonly id: string;
  readonly version: number;
  /** As this reader sees it, selected or not. */
  readonly location: Listing['location'];
  /** Without the brace at its end. */
  readonly #lasting: string;
  readonly #fields: Fields;
  #moments: Moments;
  #confirmedAt: number;

  constructor(
    { id, version, location }: Pick<Listing, 'id' | 'version' | 'location'>,
    lasting: string,
    { fields, moments, readAt }: Moving,
  ) {
    this.id = id;
    this.version = version;
    this.location = location;
    this.#lasting = lasting.slice(0, -1);
    this.#fields = fields;
    this.#moments = moments;
    this.#confirmedAt = readAt;
  }

  /** As of the moment of the view, whose units and rights are those that it was encoded for. Moving members stand last. */
  json(view: ReaderView): string {
    const moving = JSON.stringify(selectFields(movingMembers(this.#moments, view), this.#fields));
    return moving === '{}' ? `${this.#lasting}}` : `${this.#lasting},${moving.slice(1)}`;
  }

  /** Whether it shows when its source last confirmed it, and that was read before this monotonic time. */
  isConfirmedBefore(at: number): boolean {
    if (this.#confirmedAt >= at) return false;
    return this.#fields === null || this.#fields.some(({ keys: [name] }) => name === 'fetchedAt');
  }

  /** Notes when its source last confirmed it, read at this monotonic time or later; undefined: as was known. */
  confirm(fetchedAt: string | undefined, at: number): void {
    if (at < this.#confirmedAt) return;
    if (fetchedAt !== undefined) this.#moments = { ...this.#moments, fetchedAt };
    this.#confirmedAt = at;
  }

  /** Bytes of its text in memory: one a character, or two if any is beyond Latin-1. */
  get bytes(): number {
    return (/[^\0-\xff]/.test(this.#lasting) ? 2 : 1) * this.#lasting.length;
  }
}
