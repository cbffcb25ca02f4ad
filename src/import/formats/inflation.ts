// Limits of what packed files may unpack to.

import { FileFault } from './record.ts';

export const INFLATION = {
  /** Bytes of all that an archive unpacks to. */
  maxBytes: 2 * 1024 ** 3,
  /** Times the packed size. */
  maxRatio: 200,
  /** Bytes that are unpacked whatever their ratio: small files of few different rows are no danger. */
  freeBytes: 16 * 1024 ** 2,
} as const;

export const bytesText = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GB` : `${bytes / 1024 ** 2} MB`;

/** Throws FileFault for a gzipped file that unpacks to too many times its size. */
export function refuseBomb(path: string, packed: number, unpacked: number): void {
  if (unpacked > INFLATION.freeBytes && unpacked > packed * INFLATION.maxRatio)
    throw new FileFault(
      `${path} is more than ${INFLATION.maxRatio} times as large unpacked: it looks like a decompression bomb. If it is none, unpack it, and import that file.`,
    );
}
