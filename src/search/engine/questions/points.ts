// Homes on a map: each by itself where there are few, else in cells; with all that a view says of the results, in one pass.

import type { Task } from '../../../lib/scheduler.ts';
import type { Status } from '../../../listings/vocabulary.ts';
import type { MapGrid, MapPoint, MapPoints } from '../../query/search-backend.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import { idOf } from '../columns/ids.ts';
import type { Columns } from '../columns/segment.ts';
import { CellGroups } from './cells.ts';
import { codeCounter } from './facets.ts';
import type { RowConsumer } from './scan.ts';
import { SummaryCollector } from './summaries.ts';

interface RowRef {
  readonly columns: Columns;
  readonly row: number;
}

export class PointCollector {
  readonly #grid: MapGrid;
  readonly #dictionaries: Dictionaries;
  readonly #groups: CellGroups;
  readonly #prices = new SummaryCollector('price', 0);
  readonly #sources: ReturnType<typeof codeCounter>;
  /** The first rows with a position, one more than may be shown. */
  readonly #first: RowRef[] = [];
  #located = 0;

  constructor(grid: MapGrid, dictionaries: Dictionaries) {
    this.#grid = grid;
    this.#dictionaries = dictionaries;
    this.#groups = new CellGroups(grid.bits);
    this.#sources = codeCounter('providerId', dictionaries.providerId);
  }

  consumersOf(columns: Columns): readonly RowConsumer[] {
    return [
      this.#groups.consume(columns),
      this.#prices.consume(columns),
      this.#sources.consume(columns),
      this.#locate(columns),
    ];
  }

  #locate(columns: Columns): RowConsumer {
    const { lng: lngs } = columns.numbers;
    if (lngs === undefined) return () => {};
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        if (Number.isNaN(lngs[row] as number)) continue;
        if (this.#located++ < this.#grid.maxPoints) this.#first.push({ columns, row });
      }
    };
  }

  async result(total: number, task: Task): Promise<MapPoints> {
    const isFew = this.#located <= this.#grid.maxPoints;
    const points = isFew ? this.#first.map((ref) => this.#pointOf(ref)).sort(byId) : [];
    const cells = isFew
      ? []
      : await task.run(this.#groups.cells({ limit: this.#grid.maxCells, after: undefined }));
    const medianPrice = await task.run(this.#prices.median());
    const sources = this.#sources
      .counts()
      .map(({ value }) => String(value))
      .toArray()
      .sort();
    return { total, located: this.#located, medianPrice, sources, points, cells };
  }

  #pointOf({ columns, row }: RowRef): MapPoint {
    const { numbers, codes } = columns;
    const number = (
      name: 'price' | 'closePrice' | 'bedrooms' | 'listedAt' | 'lng' | 'lat',
    ): number | null => {
      const value = numbers[name]?.[row];
      return value === undefined || Number.isNaN(value) ? null : value;
    };
    const word = (name: 'status' | 'priceDirection' | 'precision'): string =>
      this.#dictionaries[name].word(codes[name]?.[row] ?? 0);
    return {
      id: idOf(columns, row),
      lng: number('lng') ?? 0,
      lat: number('lat') ?? 0,
      status: word('status') as Status,
      price: number('price'),
      closePrice: number('closePrice'),
      bedrooms: number('bedrooms'),
      isReduced: word('priceDirection') === 'decrease',
      isApproximate: word('precision') === 'approximate',
      listedAt: number('listedAt'),
    };
  }
}

const byId = (one: MapPoint, other: MapPoint): number => (one.id < other.id ? -1 : 1);
