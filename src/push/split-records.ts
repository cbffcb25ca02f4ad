// Splitter of bodies: the bytes of each JSON value of an array, or of each line, as they arrive; nothing but one value is kept.

import { Problem } from '../lib/problem.ts';

/** One value; null: it is larger than allowed, and was passed over. */
export type Piece = Buffer | null;

export interface Splitter {
  /** The values that end within a chunk. Throws INVALID_BODY where what follows has no form. */
  push(chunk: Buffer): Generator<Piece, void, void>;
  /** What is left at the end. Throws INVALID_BODY for an array that does not end. */
  end(): Iterable<Piece>;
}

/** Bytes of one value, kept up to a maximum. */
class PieceBuffer {
  readonly #max: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(part: Buffer): void {
    this.#size += part.byteLength;
    if (this.#size <= this.#max) this.#parts.push(part);
    else this.#parts = [];
  }

  take(): Piece {
    const piece = this.#size > this.#max ? null : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    return piece;
  }
}

const [LF, CR, SPACE, TAB, QUOTE, BACKSLASH, COMMA] = [10, 13, 32, 9, 34, 92, 44];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Splits lines; empty ones are passed over. */
export function lineSplitter(maxBytes: number): Splitter {
  const buffer = new PieceBuffer(maxBytes);
  function* take(): Generator<Piece, void, void> {
    if (buffer.isEmpty) return;
    const piece = buffer.take();
    if (piece === null || !isBlank(piece)) yield piece;
  }
  return {
    *push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
        buffer.add(chunk.subarray(from, at));
        yield* take();
        from = at + 1;
      }
      if (from < chunk.byteLength) buffer.add(chunk.subarray(from));
    },
    end: take,
  };
}

const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LF || byte === CR || byte === TAB;
const isBlank = (bytes: Buffer): boolean => bytes.every(isSpace);

/** Splits the elements of one JSON array. */
export function arraySplitter(maxBytes: number): Splitter {
  return new ArraySplitter(maxBytes);
}

type State = 'start' | 'first' | 'value' | 'inside' | 'after' | 'end';

class ArraySplitter implements Splitter {
  readonly #buffer: PieceBuffer;
  #state: State = 'start';
  /** Brackets and braces that are open within the value. */
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  constructor(maxBytes: number) {
    this.#buffer = new PieceBuffer(maxBytes);
  }

  *push(chunk: Buffer): Generator<Piece, void, void> {
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#state === 'inside') {
        const end = this.#endOfValue(chunk, at);
        this.#buffer.add(chunk.subarray(at, end));
        at = end;
        if (this.#state !== 'inside') yield this.#buffer.take();
      } else {
        const byte = chunk[at] as number;
        if (isSpace(byte)) at++;
        else if (this.#enter(byte)) at++;
      }
    }
  }

  end(): Iterable<Piece> {
    if (this.#state === 'end') return [];
    throw malformed(
      this.#state === 'start'
        ? 'The body is empty; send a JSON array of records.'
        : 'The array does not end.',
    );
  }

  /** Takes a byte between values; false if it is the first of a value, which is left. */
  #enter(byte: number): boolean {
    switch (this.#state) {
      case 'start':
        if (byte !== OPEN_ARRAY)
          throw malformed(
            'The body must be a JSON array of records; send one record a line as application/x-ndjson.',
          );
        this.#state = 'first';
        return true;
      case 'first':
      case 'value':
        if (byte === CLOSE_ARRAY && this.#state === 'first') {
          this.#state = 'end';
          return true;
        }
        if (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT)
          throw malformed('A record is missing between two commas of the array.');
        this.#state = 'inside';
        return false;
      case 'after':
        if (byte !== COMMA && byte !== CLOSE_ARRAY)
          throw malformed('A comma is missing between two records.');
        this.#state = byte === COMMA ? 'value' : 'end';
        return true;
      default:
        throw malformed('Something follows the end of the array.');
    }
  }

  /** The position after the value, or after the chunk where the value goes on. */
  #endOfValue(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.byteLength; at++) {
      const byte = chunk[at] as number;
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isText = false;
        if (!this.#isText && this.#depth === 0) return this.#finish(at + 1);
      } else if (byte === QUOTE) this.#isText = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        // A number or a word ends at the bracket of the array, which is left.
        if (this.#depth === 0) return this.#finish(at);
        this.#depth--;
        if (this.#depth === 0) return this.#finish(at + 1);
      } else if (this.#depth === 0 && (byte === COMMA || isSpace(byte))) return this.#finish(at);
    }
    return chunk.byteLength;
  }

  #finish(end: number): number {
    this.#state = 'after';
    return end;
  }
}

const malformed = (detail: string): Problem =>
  new Problem('INVALID_BODY', detail, { errors: [{ pointer: '', detail }] });
