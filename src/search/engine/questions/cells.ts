// Cells of a map: how many results lie in each, their centre, and their median price.

import { insertAmong } from '../../../lib/lower-bound.ts';
import type { Steps } from '../../../lib/scheduler.ts';
import type { Cell, CellGrid, MapGrid } from '../../query/search-backend.ts';
import type { Columns } from '../columns/segment.ts';
import { CellNumbers } from './cell-numbers.ts';
import { quantileSteps } from './quantiles.ts';
import type { RowConsumer } from './scan.ts';

/** Cells of one step, and of one chunk of their sums. */
const STEP = 4_096;
/** Numbers that are kept of a cell. */
const CELL_SUMS = 9;

/** Groups results by the cells of a grid, such as those of geohashes. What grows with them grows chunk by chunk. */
export class CellGroups {
  readonly #columns: number;
  readonly #rows: number;
  readonly #numbers: CellNumbers;
  /** Of each cell: column, row, count, the sums of latitudes and longitudes, and its box from west to north. */
  readonly #sums: Float64Array[] = [];
  /** By block of rows, the cell and the price of each result that has one. */
  readonly #priced: { readonly cells: Uint32Array; readonly prices: Float64Array }[] = [];
  /** Of the last result: rows are in the order of places, so the next one mostly is in the same cell. */
  #lastPlace = -1;
  #lastCell = 0;

  constructor(bits: MapGrid['bits']) {
    this.#columns = 2 ** bits.lng;
    this.#rows = 2 ** bits.lat;
    this.#numbers = new CellNumbers(this.#rows);
  }

  /** What takes the rows of one part of a table. */
  consume({ numbers: { lng: lngs, lat: lats, price: prices } }: Columns): RowConsumer {
    if (lngs === undefined || lats === undefined) return () => {};
    return (rows, count) => {
      const [ownCells, ownPrices] = [new Uint32Array(count), new Float64Array(count)];
      let priced = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        const lng = lngs[row] as number;
        const lat = lats[row] as number;
        if (Number.isNaN(lng)) continue;
        const cell = this.#cellAt(lng, lat);
        const sums = this.#sums[Math.floor(cell / STEP)] as Float64Array;
        const first = (cell % STEP) * CELL_SUMS;
        sums[first + 2] = (sums[first + 2] as number) + 1;
        sums[first + 3] = (sums[first + 3] as number) + lat;
        sums[first + 4] = (sums[first + 4] as number) + lng;
        if (lng < (sums[first + 5] as number)) sums[first + 5] = lng;
        if (lat < (sums[first + 6] as number)) sums[first + 6] = lat;
        if (lng > (sums[first + 7] as number)) sums[first + 7] = lng;
        if (lat > (sums[first + 8] as number)) sums[first + 8] = lat;
        const price = prices === undefined ? Number.NaN : (prices[row] as number);
        if (Number.isNaN(price)) continue;
        ownCells[priced] = cell;
        ownPrices[priced++] = price;
      }
      this.#priced.push({ cells: ownCells.subarray(0, priced), prices: ownPrices });
    };
  }

  #cellAt(lng: number, lat: number): number {
    const column = Math.min(Math.floor(((lng + 180) / 360) * this.#columns), this.#columns - 1);
    const row = Math.min(Math.floor(((lat + 90) / 180) * this.#rows), this.#rows - 1);
    // Exact: the closest zoom has nine letters, which are 45 bits.
    const place = column * this.#rows + row;
    if (place === this.#lastPlace) return this.#lastCell;
    const cell = this.#numbers.numberOf(column, row);
    if (cell === this.#numbers.count - 1) this.#begin(cell, column, row);
    this.#lastPlace = place;
    this.#lastCell = cell;
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
      for (let at = 0; at < block.cells.length; at++) {
        const place = (places[block.cells[at] as number] as number) - 1;
        if (place < 0) continue;
        const count = counts[place] as number;
        (prices[place] as Float64Array)[count] = block.prices[at] as number;
        counts[place] = count + 1;
      }
      yield;
    }
    return prices.map((each, at) => each.subarray(0, counts[at]));
  }
}

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
