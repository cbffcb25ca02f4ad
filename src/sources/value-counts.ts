// Counts of values that kept listings from being shown: by field and value, each listing once.

export interface ValueCount {
  readonly field: string;
  /** As the source wrote it, in JSON. */
  readonly value: string;
  readonly listings: number;
}

/** Something of a source that the mapping does not know. */
export interface UnknownCount {
  readonly field: string;
  /** A value that the dictionary lacks, in JSON; null: the field itself is not read. */
  readonly value: string | null;
  /** Listings with the value; records with the field. */
  readonly listings: number;
}

/** What is not known of one source, in numbers. */
export interface UnknownTotals {
  /** Values that the dictionary lacks, by field: enumerated fields are few, whatever a source sends. */
  readonly values: ReadonlyMap<string, number>;
  /** Fields that are not read. */
  readonly fields: number;
}

export function unknownTotals(unknown: readonly UnknownCount[]): UnknownTotals {
  const values = new Map<string, number>();
  for (const { field, value } of unknown) if (value !== null) values.set(field, (values.get(field) ?? 0) + 1);
  return { values, fields: unknown.filter(({ value }) => value === null).length };
}

/** `unknown values: PetsAllowed 1, PropertySubType 3; fields that are not read: 12`; null: all is known. */
export function unknownTotalsText({ values, fields }: UnknownTotals): string | null {
  const named = [...values].map(([field, count]) => `${field} ${count}`).sort();
  const texts = [
    ...(named.length === 0 ? [] : [`unknown values: ${named.join(', ')}`]),
    ...(fields === 0 ? [] : [`fields that are not read: ${fields}`]),
  ];
  return texts.length === 0 ? null : texts.join('; ');
}

/** Stands for the field where a server refuses to send a part of its listings, which is the value. */
export const REFUSED_PART = '$expand';

/** The parts of listings that the server refuses to send; null: none. */
export function refusedPartsText(counts: readonly ValueCount[]): string | null {
  const parts = counts
    .filter(({ field }) => field === REFUSED_PART)
    .map(({ value }) => String(JSON.parse(value)));
  return parts.length === 0 ? null : `the server refuses to expand ${parts.join(' and ')}`;
}

/** What is counted is bounded, whatever a source sends: what is beyond is not counted. */
const MAX_VALUES = 100;
const MAX_LISTINGS = 10_000;
const MAX_LENGTH = 60;

export class ValueCounts {
  readonly #counts = new Map<string, { readonly field: string; readonly value: string; keys: Set<string> }>();

  /** The values that withhold something of a listing now, in place of those it had before. */
  set(listingKey: string, values: readonly (readonly [field: string, value: unknown])[]): void {
    for (const { keys } of this.#counts.values()) keys.delete(listingKey);
    for (const [field, value] of values) {
      const text = (JSON.stringify(value) ?? 'null').slice(0, MAX_LENGTH).toWellFormed();
      const name = `${field} ${text}`;
      const known = this.#counts.get(name);
      if (known === undefined && this.#counts.size >= MAX_VALUES) continue;
      const { keys } = known ?? { keys: new Set<string>() };
      if (known === undefined) this.#counts.set(name, { field, value: text, keys });
      if (keys.size < MAX_LISTINGS) keys.add(listingKey);
    }
  }

  /** The most frequent first. */
  list(): ValueCount[] {
    return [...this.#counts.values()]
      .filter(({ keys }) => keys.size > 0)
      .map(({ field, value, keys }) => ({ field, value, listings: keys.size }))
      .sort((a, b) => b.listings - a.listings);
  }
}
