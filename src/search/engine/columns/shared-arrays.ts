// Arrays that threads share: of a fixed length, and such that grow.

export type NumericArray = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array;

/** A class of arrays. */
export interface ArrayKind<A extends NumericArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer, offset: number, length: number): A;
}

/** Bytes. */
const OWN_PAGES = 2 ** 17;

/** An array of zeros in memory of its own. */
export function sharedArray<A extends NumericArray>(kind: ArrayKind<A>, length: number): A {
  const bytes = length * kind.BYTES_PER_ELEMENT;
  // V8 maps a buffer that may grow by itself, and returns it to the system as a whole. Others come from malloc, where columns that
  // were replaced leave gaps: 70 % more resident memory after some rebuilds.
  const growth = bytes < OWN_PAGES ? undefined : { maxByteLength: bytes };
  return new kind(new SharedArrayBuffer(bytes, growth), 0, length);
}

/** An array with these values. */
export function sharedCopy<A extends NumericArray>(kind: ArrayKind<A>, values: ArrayLike<number>): A {
  const copy = sharedArray(kind, values.length);
  copy.set(values);
  return copy;
}

const FIRST_CAPACITY = 64;

/** An array to append to. Elements below `length` never change; growth leaves the former array as it was to who reads it. */
export class GrowableArray<A extends NumericArray> {
  /** Longer than `length`, or as long. */
  array: A;
  length = 0;
  readonly #kind: ArrayKind<A>;

  constructor(kind: ArrayKind<A>) {
    this.#kind = kind;
    this.array = sharedArray(kind, 0);
  }

  push(value: number): void {
    if (this.length === this.array.length) this.reserve(1);
    this.array[this.length++] = value;
  }

  /** Appends a value until the length is as given. */
  extend(length: number, value: number): void {
    if (length <= this.length) return;
    this.reserve(length - this.length);
    this.array.fill(value, this.length, length);
    this.length = length;
  }

  /** Appends some of the values. A loop, since most are few. */
  append(values: NumericArray, start = 0, end = values.length): void {
    this.reserve(end - start);
    const { array, length } = this;
    for (let at = start; at < end; at++) array[length + at - start] = values[at] ?? 0;
    this.length += end - start;
  }

  /** The elements so far, without the room for more. */
  filled(): A {
    return this.array.subarray(0, this.length) as A;
  }

  /** Makes room for so many more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.array.length) return;
    const grown = sharedArray(this.#kind, Math.max(needed, FIRST_CAPACITY, this.array.length * 2));
    grown.set(this.array);
    this.array = grown;
  }
}

const CHUNK_BITS = 16;
const CHUNK = 2 ** CHUNK_BITS;

/** An array to append to that never moves, so that no append takes longer than making a chunk. Elements below `length` never change. */
export class ChunkedArray<A extends NumericArray> {
  length = 0;
  readonly #kind: ArrayKind<A>;
  readonly #chunks: A[] = [];

  constructor(kind: ArrayKind<A>) {
    this.#kind = kind;
  }

  push(value: number): void {
    const place = this.length++ % CHUNK;
    if (place === 0) this.#chunks.push(sharedArray(this.#kind, CHUNK));
    (this.#chunks.at(-1) as A)[place] = value;
  }

  at(index: number): number {
    return (this.#chunks[index >>> CHUNK_BITS] as A)[index % CHUNK] as number;
  }

  /** All elements so far, and room for more in the last chunk. */
  chunks(): readonly A[] {
    return [...this.#chunks];
  }
}
