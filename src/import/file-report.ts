// Report of a file: its fields, its doubtful places, and why rows of it are rejected.

import { FieldReport, type FieldSummary } from './field-report.ts';
import { fieldsOf, type ImportMap } from './mapping/map.ts';
import { PLACE_DOUBTS, type PlaceDoubt } from './places.ts';
import { type RejectionCause, Rejections } from './rejections.ts';
import type { MappedRecord } from './target.ts';

export interface DoubtfulPlaces {
  readonly rows: number;
  /** Where the first few are. */
  readonly examples: readonly number[];
}

export interface FileReport {
  /** Of the fields that the map takes from columns, over the rows that are taken. */
  readonly fields: Readonly<Record<string, FieldSummary>>;
  readonly places: Partial<Readonly<Record<PlaceDoubt, DoubtfulPlaces>>>;
  readonly causes: readonly RejectionCause[];
}

const MAX_EXAMPLES = 3;

export class ReportBuilder {
  readonly #fields: ReadonlyMap<string, FieldReport>;
  readonly #doubts = new Map<PlaceDoubt, { rows: number; readonly examples: number[] }>();
  readonly #rejections = new Rejections();

  constructor(map: ImportMap) {
    const fields = Object.entries(fieldsOf(map.kind)).filter(([name]) =>
      map.fields[name]?.some((rule) => rule.constant === undefined),
    );
    this.#fields = new Map(fields.map(([name, field]) => [name, new FieldReport(field)]));
  }

  add(mapped: MappedRecord<unknown>): void {
    const { place } = mapped.record;
    if (mapped.reason !== null) {
      this.#rejections.add(mapped.faults, place);
      return;
    }
    for (const [name, field] of this.#fields) field.add(mapped.values.get(name), place);
    if (mapped.doubt !== null) this.#addDoubt(mapped.doubt, place);
  }

  report(): FileReport {
    const fields = [...this.#fields].map(([name, field]) => [name, field.summary()] as const);
    const places = PLACE_DOUBTS.flatMap((doubt) => {
      const found = this.#doubts.get(doubt);
      return found === undefined ? [] : [[doubt, found] as const];
    });
    return {
      fields: Object.fromEntries(fields),
      places: Object.fromEntries(places),
      causes: this.#rejections.causes(),
    };
  }

  #addDoubt(doubt: PlaceDoubt, place: number): void {
    const known = this.#doubts.get(doubt) ?? { rows: 0, examples: [] };
    known.rows++;
    if (known.examples.length < MAX_EXAMPLES) known.examples.push(place);
    this.#doubts.set(doubt, known);
  }
}
