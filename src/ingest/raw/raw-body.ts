// Bodies of raw records: JSON, compressed with a dictionary of the names that records have in common.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import DICTIONARY from './dictionary.json' with { type: 'json' };

/** What is stored was compressed with it: it never changes. */
const dictionary = Buffer.from(DICTIONARY.join(''));
/** The lowest level: higher ones take longer than they save. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

export const compressBody = (text: string): Buffer => zstdCompressSync(text, { dictionary, params });

/** The record of a body. Throws where it is damaged. */
export const readBody = (body: Buffer): Readonly<Record<string, unknown>> =>
  JSON.parse(zstdDecompressSync(body, { dictionary }).toString('utf8')) as Readonly<Record<string, unknown>>;
