// Fields of a binary COPY, read in place: no object is made of a row or a value.

/** The signature, flags, and the length of an extension of the header, which no server sends. */
const HEADER_BYTES = 19;
/** Before the items of an array: dimensions, whether there are nulls, their type, how many they are, and their first number. */
const ARRAY_HEADER_BYTES = 20;
/** From 1970 to 2000, where PostgreSQL counts from. */
const EPOCH_DAYS = 10_957;
const DAY = 86_400_000;
/** Moments and days that stand for no date. */
const MAX_INT32 = 0x7fff_ffff;
const MIN_INT32 = -0x8000_0000;
/** Of the high half of microseconds: below it the whole is an exact integer. */
const EXACT_HIGH = 2 ** 20;

/** Goes from row to row and from field to field, in the order in which they were selected; then reads the current one. */
export class CopyFields {
  /** What holds the value; not only it. */
  bytes: Uint8Array = new Uint8Array();
  /** Where the value is. */
  start = 0;
  end = 0;
  #view: DataView = new DataView(this.bytes.buffer);
  #next = 0;
  #limit = 0;
  #item = 0;
  #isBegun = false;

  /** Takes the next bytes of the COPY: some whole rows, as the server sends them. */
  take(rows: Uint8Array): void {
    // Many rows come in one buffer.
    if (this.bytes.buffer !== rows.buffer) {
      this.bytes = new Uint8Array(rows.buffer);
      this.#view = new DataView(rows.buffer);
    }
    this.#next = rows.byteOffset + (this.#isBegun ? 0 : HEADER_BYTES);
    this.#limit = rows.byteOffset + rows.byteLength;
    this.#isBegun = true;
  }

  /** Goes to the next row; false if the bytes taken hold no more. */
  nextRow(): boolean {
    if (this.#next >= this.#limit) return false;
    const fields = this.#view.getInt16(this.#next);
    this.#next += 2;
    return fields >= 0;
  }

  /** Goes to the next field of the row; false if it is null. */
  next(): boolean {
    const length = this.#view.getInt32(this.#next);
    this.#next += 4;
    if (length < 0) return false;
    this.start = this.#next;
    this.end = this.start + length;
    this.#next = this.end;
    return true;
  }

  /** A boolean. */
  boolean(): boolean {
    return this.bytes[this.start] === 1;
  }

  /** An integer. */
  int32(): number {
    return this.#view.getInt32(this.start);
  }

  /** A double precision. */
  float64(): number {
    return this.#view.getFloat64(this.start);
  }

  /** A timestamptz in milliseconds since 1970, what is smaller cut off; NaN for infinity. */
  moment(): number {
    return this.#momentAt(this.start);
  }

  /** The start of a date in UTC, in milliseconds since 1970; NaN for infinity. */
  day(): number {
    const days = this.int32();
    return days === MAX_INT32 || days === MIN_INT32 ? Number.NaN : (days + EPOCH_DAYS) * DAY;
  }

  /** Goes into an array of one dimension; returns how many items it has, none of which may be null. */
  items(): number {
    this.#item = this.start + ARRAY_HEADER_BYTES;
    return this.#view.getInt32(this.start) === 0 ? 0 : this.#view.getInt32(this.start + 12);
  }

  /** Goes to the next item of the array. */
  nextItem(): void {
    this.start = this.#item + 4;
    this.end = this.start + this.#view.getInt32(this.#item);
    this.#item = this.end;
  }

  /** The bounds of a tstzmultirange, whose ranges have both, as moments. */
  ranges(visit: (from: number, to: number) => void): void {
    const count = this.#view.getInt32(this.start);
    let at = this.start + 4;
    for (let range = 0; range < count; range++) {
      // Length, flags, and for each bound its length and the moment.
      visit(this.#momentAt(at + 9), this.#momentAt(at + 21));
      at += 29;
    }
  }

  /** Goes into a tsvector; returns how many lexemes it has. */
  lexemes(): number {
    this.#item = this.start + 4;
    return this.#view.getInt32(this.start);
  }

  /** Goes to the next lexeme of the tsvector. */
  nextLexeme(): void {
    let end = this.#item;
    while (this.bytes[end] !== 0) end++;
    this.start = this.#item;
    this.end = end;
    // A zero ends it; then come its positions.
    this.#item = end + 3 + 2 * this.#view.getUint16(end + 1);
  }

  #momentAt(at: number): number {
    const high = this.#view.getInt32(at);
    const low = this.#view.getUint32(at + 4);
    if (Math.abs(high) < EXACT_HIGH) return Math.floor((high * 2 ** 32 + low) / 1_000) + EPOCH_DAYS * DAY;
    const isInfinite = (high === MAX_INT32 && low === 2 ** 32 - 1) || (high === MIN_INT32 && low === 0);
    if (isInfinite) return Number.NaN;
    return Math.floor(Number(this.#view.getBigInt64(at) / 1_000n)) + EPOCH_DAYS * DAY;
  }
}
