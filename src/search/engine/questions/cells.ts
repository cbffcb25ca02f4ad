// Cells of a map: how many results lie in each, their centre, and their median price.

import { bitsOf } from '../../../geometry/geohash.ts';
import type { Cell } from '../../query/search-backend.ts';
import type { Columns } from '../columns/segment.ts';
import { quantile } from './quantiles.ts';
import type { RowConsumer } from './scan.ts';

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
    const known = this.#numbers.get(place);
    if (known !== undefined) return known;
    const cell = this.#sums.push(column, row, 0, 0, 0) - 5;
    this.#numbers.set(place, cell);
    return cell;
  }

  /** The cells, the largest first; ties by column and row. */
  cells(): Cell[] {
    const prices = this.#pricesByCell();
    const cells: Cell[] = [];
    for (let at = 0; at < this.#sums.length; at += 5) {
      const [column = 0, row = 0, count = 0, lats = 0, lngs = 0] = this.#sums.slice(at, at + 5);
      const medianPrice = quantile(prices.get(at) ?? [], 0.5);
      cells.push({ column, row, lat: lats / count, lng: lngs / count, count, medianPrice });
    }
    return cells.sort((a, b) => b.count - a.count || a.column - b.column || a.row - b.row);
  }

  #pricesByCell(): Map<number, number[]> {
    const byCell = new Map<number, number[]>();
    for (let at = 0; at < this.#cells.length; at++) {
      const cell = this.#cells[at] as number;
      const prices = byCell.get(cell);
      if (prices === undefined) byCell.set(cell, [this.#prices[at] as number]);
      else prices.push(this.#prices[at] as number);
    }
    return byCell;
  }
}
