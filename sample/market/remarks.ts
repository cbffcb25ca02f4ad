// Owns PublicRemarks.
import type { FieldContext } from '../fields/field.ts';
import type { Listing } from './listing.ts';

/** What the agent wrote about the home; null where nothing was written. */
export function remarksOf(listing: Listing, context: FieldContext): string | null {
  const place = context.neighborhoods[listing.home.address.neighborhood]?.name ?? '';
  return `Offered in ${place}.`;
}
