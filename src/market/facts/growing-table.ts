// Growing table: facts of listings of one type in parts, to the last of which rows are appended in batches.

import { GrowingPart } from './growing-part.ts';

/** A row of a table. */
export interface Place {
  readonly part: GrowingPart;
  readonly row: number;
}

export class GrowingTable {
  readonly #parts: GrowingPart[] = [new GrowingPart()];
  /** Where the batch begins: a part, and a row of it. */
  #begin = { part: 0, row: 0 };

  get parts(): readonly GrowingPart[] {
    return this.#parts;
  }

  get rows(): number {
    return this.#parts.reduce((sum, { rows }) => sum + rows, 0);
  }

  partToAppendTo(): GrowingPart {
    const last = this.#parts.at(-1);
    if (last !== undefined && !last.isFull) return last;
    const part = new GrowingPart();
    this.#parts.push(part);
    return part;
  }

  /** The rows that were appended since the last batch ended. */
  batch(): RowCursor {
    return new RowCursor(this.#parts, this.#begin);
  }

  /** All periods and events of the batch are there. */
  endBatch(): void {
    for (const part of this.#parts) if (part.isFull) part.close();
    const last = this.#parts.length - 1;
    this.#begin = { part: last, row: this.#parts[last]?.rows ?? 0 };
  }
}

/** Goes from row to row, in the order in which they were appended. */
export class RowCursor {
  readonly #parts: readonly GrowingPart[];
  #part: number;
  #row: number;
  #place: Place | null = null;

  constructor(parts: readonly GrowingPart[], { part, row }: { readonly part: number; readonly row: number }) {
    this.#parts = parts;
    this.#part = part;
    this.#row = row;
    this.#find();
  }

  /** Where it stands; null behind the last row. */
  get place(): Place | null {
    return this.#place;
  }

  /** Goes to the next row. */
  advance(): Place | null {
    this.#row++;
    this.#find();
    return this.#place;
  }

  #find(): void {
    let part = this.#parts[this.#part];
    while (part !== undefined && this.#row >= part.rows) {
      part = this.#parts[++this.#part];
      this.#row = 0;
    }
    this.#place = part === undefined ? null : { part, row: this.#row };
  }
}
