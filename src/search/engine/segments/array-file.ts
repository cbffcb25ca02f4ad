// Array file: objects whose leaves are arrays of numbers, written to a file and read again into shared memory.
//
// It begins with the length and the checksum of a header, which is JSON; then come the bytes of the arrays, in the byte order of
// this machine.

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { type NumericArray, sharedArray } from '../columns/shared-arrays.ts';

const KINDS = { Float32Array, Float64Array, Uint8Array, Uint16Array, Uint32Array };

/** Objects of numbers, texts and arrays of numbers. */
export type ArrayTree = number | string | NumericArray | { readonly [name: string]: ArrayTree };

/** An array as the header has it. */
interface StoredArray {
  readonly kind: keyof typeof KINDS;
  readonly length: number;
  readonly checksum: number;
}

interface Header {
  /** JSON in which `[0]` stands for the first array: trees have no other lists. */
  readonly tree: string;
  readonly arrays: readonly StoredArray[];
  readonly byteOrder: string;
}

const PREFIX_BYTES = 8;
/** Bytes read or written at once: the system takes no more than 2 GB. */
const CHUNK = 2 ** 26;

/**
 * Replaces a file as a whole: whoever reads it meanwhile, or after a crash, has the former one. A draft that a crash left is
 * written over. Two writers at once may leave a damaged file, which nobody reads.
 */
export async function writeArrays(path: string, tree: ArrayTree): Promise<void> {
  const draft = `${path}.draft`;
  const file = await open(draft, 'w', 0o600);
  try {
    const found: NumericArray[] = [];
    const header: Header = {
      tree: JSON.stringify(tree, (_, part) => (isArray(part) ? [found.push(part) - 1] : part)),
      arrays: found.map((array) => ({
        kind: kindOf(array),
        length: array.length,
        checksum: crc32(bytesOf(array)),
      })),
      byteOrder: endianness(),
    };
    const text = Buffer.from(JSON.stringify(header));
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32LE(text.length, 0);
    prefix.writeUInt32LE(crc32(text), 4);
    for (const bytes of [prefix, text, ...found.map(bytesOf)]) await writeAll(file, bytes);
    await file.sync();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** The objects of a file; null if there is none, or if it is damaged or was written by another kind of machine or release. */
export async function readArrays(path: string): Promise<ArrayTree | null> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const header = await readHeader(file);
    return header === null ? null : await readTree(file, header);
  } finally {
    await file.close();
  }
}

async function readHeader(file: FileHandle): Promise<Header | null> {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  const { size } = await file.stat();
  if (!(await readAll(file, prefix)) || prefix.readUInt32LE(0) > size) return null;
  const text = Buffer.alloc(prefix.readUInt32LE(0));
  if (!(await readAll(file, text)) || crc32(text) !== prefix.readUInt32LE(4)) return null;
  const header = JSON.parse(text.toString()) as Header;
  return header.byteOrder === endianness() && typeof header.tree === 'string' ? header : null;
}

async function readTree(file: FileHandle, { tree, arrays }: Header): Promise<ArrayTree | null> {
  const read: NumericArray[] = [];
  for (const { kind, length, checksum } of arrays) {
    const array = sharedArray<NumericArray>(KINDS[kind], length);
    const bytes = bytesOf(array);
    if (!(await readAll(file, bytes)) || crc32(bytes) !== checksum) return null;
    read.push(array);
  }
  return JSON.parse(tree, (_, part) => (Array.isArray(part) ? read[part[0]] : part));
}

const bytesOf = ({ buffer, byteOffset, byteLength }: NumericArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function kindOf(array: NumericArray): StoredArray['kind'] {
  const found = Object.entries(KINDS).find(([, kind]) => array instanceof kind);
  if (found === undefined) throw new TypeError('No such array can be written');
  return found[0] as StoredArray['kind'];
}

const isArray = (part: unknown): part is NumericArray => ArrayBuffer.isView(part);

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, Math.min(CHUNK, bytes.length - at))).bytesWritten;
}

/** False where the file ends before. */
async function readAll(file: FileHandle, bytes: Uint8Array): Promise<boolean> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(CHUNK, bytes.length - at));
    if (bytesRead === 0) return false;
    at += bytesRead;
  }
  return true;
}
