// Cells of a map: how many results lie in each, their centre, and their median price.

import { insertAmong } from '../../../lib/lower-bound.ts';
import type { Steps } from '../../../lib/scheduler.ts';
import type { Cell, CellGrid, MapGrid } from '../../query/search-backend.ts';
import type { Columns } from '../columns/segment.ts';
import { CellNumbers } from './cell-numbers.ts';
import { quantileSteps } from './quantiles.ts';
import type { RowConsumer } from './scan.ts';

/** Cells of one step, and of one chunk of their sums: two to the power of these bits. */
const STEP_BITS = 12;
const STEP = 2 ** STEP_BITS;
/** Numbers that are kept of a cell. */
const CELL_SUMS = 9;

/** The prices of a block of rows, in runs of rows that follow each other in one cell. */
interface PricedBlock {
  readonly prices: Float64Array;
  /** The cell of each run, and where its prices end. */
  readonly cells: Uint32Array;
  readonly ends: Uint32Array;
}

/** Groups results by the cells of a grid, such as those of geohashes. What grows with them grows chunk by chunk. */
export class CellGroups {
  readonly #columns: number;
  readonly #rows: number;
  readonly #numbers: CellNumbers;
  /** Of each cell: column, row, count, the sums of latitudes and longitudes, and its box from west to north. */
  readonly #sums: Float64Array[] = [];
  readonly #priced: PricedBlock[] = [];

  constructor(bits: MapGrid['bits']) {
    this.#columns = 2 ** bits.lng;
    this.#rows = 2 ** bits.lat;
    this.#numbers = new CellNumbers(this.#rows);
  }

  /** What takes the rows of one part of a table: they are in the order of places, so that many in a row are in one cell. */
  consume({ numbers: { lng: lngs, lat: lats, price: prices } }: Columns): RowConsumer {
    if (lngs === undefined || lats === undefined) return () => {};
    const [columns, lines] = [this.#columns, this.#rows];
    return (rows, count) => {
      const [ownPrices, cells, ends] = [
        new Float64Array(count),
        new Uint32Array(count),
        new Uint32Array(count),
      ];
      let [priced, runs, lastColumn, lastLine, first] = [0, 0, -1, -1, 0];
      let sums: Float64Array = NO_SUMS;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        const lng = lngs[row] as number;
        const lat = lats[row] as number;
        if (Number.isNaN(lng)) continue;
        const column = Math.min(Math.floor(((lng + 180) / 360) * columns), columns - 1);
        const line = Math.min(Math.floor(((lat + 90) / 180) * lines), lines - 1);
        if (column !== lastColumn || line !== lastLine) {
          if (runs > 0) ends[runs - 1] = priced;
          const cell = this.#cellAt(column, line);
          cells[runs++] = cell;
          sums = this.#sums[cell >>> STEP_BITS] as Float64Array;
          first = (cell & (STEP - 1)) * CELL_SUMS;
          [lastColumn, lastLine] = [column, line];
        }
        sums[first + 2] = (sums[first + 2] as number) + 1;
        sums[first + 3] = (sums[first + 3] as number) + lat;
        sums[first + 4] = (sums[first + 4] as number) + lng;
        if (lng < (sums[first + 5] as number)) sums[first + 5] = lng;
        if (lat < (sums[first + 6] as number)) sums[first + 6] = lat;
        if (lng > (sums[first + 7] as number)) sums[first + 7] = lng;
        if (lat > (sums[first + 8] as number)) sums[first + 8] = lat;
        const price = prices === undefined ? Number.NaN : (prices[row] as number);
        if (!Number.isNaN(price)) ownPrices[priced++] = price;
      }
      if (runs === 0) return;
      ends[runs - 1] = priced;
      this.#priced.push({ prices: ownPrices, cells: cells.slice(0, runs), ends: ends.slice(0, runs) });
    };
  }

  #cellAt(column: number, row: number): number {
    const cell = this.#numbers.numberOf(column, row);
    if (cell === this.#numbers.count - 1) this.#begin(cell, column, row);
    return cell;
  }

  /** Does nothing for the last cell once it has started: its sums are there. */
  #begin(cell: number, column: number, row: number): void {
    if (cell === this.#sums.length * STEP) this.#sums.push(new Float64Array(STEP * CELL_SUMS));
    const sums = this.#sums.at(-1) as Float64Array;
    const first = (cell % STEP) * CELL_SUMS;
    if (sums[first + 2] !== 0) return;
    sums[first] = column;
    sums[first + 1] = row;
    sums.fill(Number.POSITIVE_INFINITY, first + 5, first + 7);
    sums.fill(Number.NEGATIVE_INFINITY, first + 7, first + 9);
  }

  /**
   * The first of the cells behind a place, the largest first; ties by column and row. In steps: there may be as many cells as
   * results, of which few are requested.
   */
  *cells({ limit, after }: Pick<CellGrid, 'limit' | 'after'>): Steps<Cell[]> {
    const first: Uncounted[] = [];
    for (const [chunk, sums] of this.#sums.entries()) {
      yield;
      const end = Math.min(this.#numbers.count - chunk * STEP, STEP);
      for (let own = 0; own < end; own++) {
        // Most of many are smaller than all of the first.
        if (first.length === limit && (sums[own * CELL_SUMS + 2] as number) < (first.at(-1)?.count ?? 0))
          continue;
        const cell = uncounted(chunk * STEP + own, sums, own * CELL_SUMS);
        if (after === undefined || isBehind(cell, after)) insertAmong(first, cell, limit, compareCells);
      }
    }
    const prices = yield* this.#pricesOf(first);
    const cells: Cell[] = [];
    for (const [at, { number: _, ...cell }] of first.entries())
      cells.push({ ...cell, medianPrice: yield* quantileSteps(prices[at] as Float64Array, 0.5) });
    return cells;
  }

  /** The prices in each of these cells. */
  *#pricesOf(wanted: readonly Uncounted[]): Steps<Float64Array[]> {
    const prices = wanted.map(({ count }) => new Float64Array(count));
    const counts = new Uint32Array(wanted.length);
    /** By number of a cell its place among the wanted ones, from 1 on. */
    const places = new Uint32Array(this.#numbers.count);
    for (const [at, { number }] of wanted.entries()) places[number] = at + 1;
    for (const block of this.#priced) {
      let first = 0;
      for (let run = 0; run < block.cells.length; run++) {
        const end = block.ends[run] as number;
        const place = (places[block.cells[run] as number] as number) - 1;
        if (place >= 0) {
          const own = prices[place] as Float64Array;
          let count = counts[place] as number;
          for (let at = first; at < end; at++) own[count++] = block.prices[at] as number;
          counts[place] = count;
        }
        first = end;
      }
      yield;
    }
    return prices.map((each, at) => each.subarray(0, counts[at]));
  }
}

const NO_SUMS = new Float64Array(0);

function uncounted(number: number, sums: Float64Array, at: number): Uncounted {
  const count = sums[at + 2] as number;
  const [lat, lng] = [(sums[at + 3] as number) / count, (sums[at + 4] as number) / count];
  const [west, south] = [sums[at + 5] as number, sums[at + 6] as number];
  const [east, north] = [sums[at + 7] as number, sums[at + 8] as number];
  const [column, row] = [sums[at] as number, sums[at + 1] as number];
  return { number, column, row, lat, lng, count, west, south, east, north };
}

/** A cell without its price, and its number. */
interface Uncounted extends Omit<Cell, 'medianPrice'> {
  readonly number: number;
}

const compareCells = (a: Uncounted, b: Uncounted): number =>
  b.count - a.count || a.column - b.column || a.row - b.row;

/** Whether a cell comes behind the one with this count, column and row. */
function isBehind(cell: Uncounted, [count = 0, column = 0, row = 0]: readonly number[]): boolean {
  if (cell.count !== count) return cell.count < count;
  return cell.column === column ? cell.row > row : cell.column > column;
}
