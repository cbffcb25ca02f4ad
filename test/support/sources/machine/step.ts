// Steps of a machine of a vendor's server and its replica, as data.

import type { Quirks } from '../../../../sample/vendors/quirks.ts';
import type { Refusal } from '../vendor-server.ts';

/** Fields that the server may rename, and their other names, which the source is set up with before. */
export const FIELDS = { ListPrice: 'AskingPrice', PhotosCount: 'NumberOfPhotos' } as const;

/** What happens next: to listings, to the server, to the process that reads it, or to the clocks. */
export type Step =
  | {
      readonly kind: 'price' | 'photos' | 'status' | 'remove' | 'return';
      readonly which: number;
      readonly value: number;
    }
  | { readonly kind: 'market' | 'pass'; readonly value: number }
  | { readonly kind: 'touch' | 'day' | 'spell' }
  | { readonly kind: 'rename'; readonly lookup: 'MlsStatus' | 'PropertySubType'; readonly value: number }
  | { readonly kind: 'field'; readonly field: keyof typeof FIELDS }
  | { readonly kind: 'rekey'; readonly which: number }
  | { readonly kind: 'kill'; readonly calls: number; readonly seconds: number }
  | { readonly kind: 'clock'; readonly whose: 'server' | 'ours'; readonly minutes: number }
  | { readonly kind: 'refuse'; readonly refusals: readonly Refusal[] }
  | { readonly kind: 'quirk'; readonly quirks: Partial<Quirks> };

/** The fields that are renamed once one is, or has its own name again. */
export function renamedBy(
  { field }: Extract<Step, { kind: 'field' }>,
  renamed: Quirks['renamed'],
): Quirks['renamed'] {
  const { [field]: other, ...others } = renamed;
  return other === undefined ? { ...others, [field]: FIELDS[field] } : others;
}
