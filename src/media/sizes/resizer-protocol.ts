// Messages between the service and the process that decodes pictures.

import type { PhotoSize } from './sizes.ts';

export interface ResizeTask {
  /** One of our four formats, by its first bytes. */
  readonly file: Buffer;
  readonly size: PhotoSize;
  /** Whether a file that is damaged or cut off is refused; otherwise what is there of it is shown. */
  readonly isStrict: boolean;
}

export type ResizeResult =
  | { readonly state: 'resized'; readonly file: Buffer }
  /** It cannot be decoded; the reason is for logs. */
  | { readonly state: 'refused'; readonly reason: string };

export type ResizerMessage =
  | { readonly state: 'ready' }
  /** The package that decodes is not there, or does not run here. */
  | { readonly state: 'unavailable'; readonly reason: string }
  /** `memory`: bytes of the process. */
  | { readonly state: 'done'; readonly result: ResizeResult; readonly memory: number };

/** Bytes that the process may have: it ends itself above. */
export const MAX_MEMORY = 768_000_000;
/** The code that it ends with then. */
export const OUT_OF_MEMORY = 70;
