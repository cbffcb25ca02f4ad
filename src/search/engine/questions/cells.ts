// Cells of a map: how many results lie in each, their centre, and their median price.

import { bitsOf } from '../../../geometry/geohash.ts';
import type { Cell, CellGrid } from '../../query/search-backend.ts';
import type { Columns } from '../columns/segment.ts';
import { insertAmong } from './first-few.ts';
import { quantileSteps } from './quantiles.ts';
import type { RowConsumer } from './scan.ts';

/** Nanoseconds that a result, a cell and a price take. */
export const CELL_COST = 100;
const CELL = 60;
const PRICE = 10;
/** Cells and prices of one step. */
const STEP = 4_096;
/** Numbers that are kept of a cell. */
const CELL_SUMS = 5;

/** Groups results by the cells of geohashes with so many letters. */
export class CellGroups {
  readonly #columns: number;
  readonly #rows: number;
  /** The number of each cell with results, by its place in the grid. */
  readonly #numbers = new Map<number, number>();
  /** Of each cell: column, row, count, and the sums of latitudes and longitudes. */
  readonly #sums: number[] = [];
  /** The cell and the price of each result that has one. */
  readonly #cells: number[] = [];
  readonly #prices: number[] = [];
  /** The last result's place in the grid and where the sums of its cell begin: rows are in the order of places, so the next is mostly there too. */
  #lastPlace = -1;
  #lastCell = 0;

  constructor(letters: number) {
    const bits = bitsOf(letters);
    this.#columns = 2 ** bits.lng;
    this.#rows = 2 ** bits.lat;
  }

  /** What takes the rows of one part of a table. */
  consume({ numbers: { lng: lngs, lat: lats, price: prices } }: Columns): RowConsumer {
    if (lngs === undefined || lats === undefined) return () => {};
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        const lng = lngs[row] as number;
        const lat = lats[row] as number;
        if (Number.isNaN(lng)) continue;
        const cell = this.#cellAt(lng, lat);
        const sums = this.#sums;
        sums[cell + 2] = (sums[cell + 2] as number) + 1;
        sums[cell + 3] = (sums[cell + 3] as number) + lat;
        sums[cell + 4] = (sums[cell + 4] as number) + lng;
        const price = prices === undefined ? Number.NaN : (prices[row] as number);
        if (Number.isNaN(price)) continue;
        this.#cells.push(cell);
        this.#prices.push(price);
      }
    };
  }

  /** Where the sums of the cell of a place begin. */
  #cellAt(lng: number, lat: number): number {
    const column = Math.min(Math.floor(((lng + 180) / 360) * this.#columns), this.#columns - 1);
    const row = Math.min(Math.floor(((lat + 90) / 180) * this.#rows), this.#rows - 1);
    // Exact: the closest zoom has nine letters, which are 45 bits.
    const place = column * this.#rows + row;
    if (place === this.#lastPlace) return this.#lastCell;
    this.#lastPlace = place;
    this.#lastCell = this.#numbers.get(place) ?? this.#add(place, column, row);
    return this.#lastCell;
  }

  #add(place: number, column: number, row: number): number {
    const cell = this.#sums.push(column, row, 0, 0, 0) - CELL_SUMS;
    this.#numbers.set(place, cell);
    return cell;
  }

  /**
   * The first of the cells behind a place, the largest first; ties by column and row. In steps, which tell about how many
   * nanoseconds they took: there may be as many cells as results, and few are asked for.
   */
  *cells({ limit, after }: Pick<CellGrid, 'limit' | 'after'>): Generator<number, Cell[]> {
    const first: Uncounted[] = [];
    for (let at = 0; at < this.#sums.length; at += CELL_SUMS) {
      if (at % (STEP * CELL_SUMS) === 0) yield STEP * CELL;
      const [column = 0, row = 0, count = 0, lats = 0, lngs = 0] = this.#sums.slice(at, at + CELL_SUMS);
      const cell = { at, column, row, lat: lats / count, lng: lngs / count, count };
      if (after === undefined || isBehind(cell, after)) insertAmong(first, cell, limit, compareCells);
    }
    const prices = yield* this.#pricesOf(first);
    const cells: Cell[] = [];
    for (const { at, ...cell } of first)
      cells.push({ ...cell, medianPrice: yield* quantileSteps(prices.get(at) ?? [], 0.5) });
    return cells;
  }

  *#pricesOf(cells: readonly Uncounted[]): Generator<number, Map<number, number[]>> {
    const prices = new Map(cells.map(({ at }) => [at, [] as number[]]));
    for (let at = 0; at < this.#cells.length; at++) {
      if (at % STEP === 0) yield STEP * PRICE;
      prices.get(this.#cells[at] as number)?.push(this.#prices[at] as number);
    }
    return prices;
  }
}

/** A cell without its price, and where its sums begin. */
interface Uncounted extends Omit<Cell, 'medianPrice'> {
  readonly at: number;
}

const compareCells = (a: Uncounted, b: Uncounted): number =>
  b.count - a.count || a.column - b.column || a.row - b.row;

/** Whether a cell comes behind the one with this count, column and row. */
function isBehind(cell: Uncounted, [count = 0, column = 0, row = 0]: readonly number[]): boolean {
  if (cell.count !== count) return cell.count < count;
  return cell.column === column ? cell.row > row : cell.column > column;
}
