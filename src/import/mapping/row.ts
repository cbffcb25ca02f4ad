// Mapping of one record: every field filled, or every reason why the row is rejected.

import type { SourceRecord } from '../formats/record.ts';
import { fieldsOf, type ImportMap } from './map.ts';
import { compileRules, type Fault } from './rule.ts';
import type { Value } from './values.ts';

/** The values of one row by field, each of its field's kind. */
export class FieldValues {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #mapped: ReadonlySet<string>;

  constructor(values: ReadonlyMap<string, Value>, mapped: ReadonlySet<string>) {
    this.#values = values;
    this.#mapped = mapped;
  }

  /** Whether the map has this field. */
  has(field: string): boolean {
    return this.#mapped.has(field);
  }

  text(field: string): string | null {
    const value = this.#values.get(field);
    return typeof value === 'string' ? value : null;
  }

  number(field: string): number | null {
    const value = this.#values.get(field);
    return typeof value === 'number' ? value : null;
  }

  /** The texts of several fields by their names; `prefix` stands before each name in the map. */
  texts<Name extends string>(names: readonly Name[], prefix = ''): Record<Name, string | null> {
    const texts = {} as Record<Name, string | null>;
    for (const name of names) texts[name] = this.text(prefix + name);
    return texts;
  }

  /** The numbers of several fields, likewise. */
  numbers<Name extends string>(names: readonly Name[], prefix = ''): Record<Name, number | null> {
    const numbers = {} as Record<Name, number | null>;
    for (const name of names) numbers[name] = this.number(prefix + name);
    return numbers;
  }

  flag(field: string): boolean | null {
    const value = this.#values.get(field);
    return typeof value === 'boolean' ? value : null;
  }

  /** Items were made by the field's own reader, which decides their form. */
  list<Item>(field: string): readonly Item[] {
    const value = this.#values.get(field);
    return Array.isArray(value) ? (value as readonly Item[]) : [];
  }

  /** A member of the field's choices, which the reader has checked. */
  choice<Choice extends string>(field: string, fallback: Choice): Choice {
    return (this.text(field) as Choice | null) ?? fallback;
  }
}

/** What reading a row gave: values, or faults. */
export interface ReadRow {
  readonly values: FieldValues;
  readonly faults: readonly Fault[];
  /** Fields in which something unreadable was passed over, as the map allows. */
  readonly passed: readonly string[];
}

/** The reader of a map's records. */
export function compileMap(map: ImportMap): (record: SourceRecord) => ReadRow {
  const common = { nulls: map.nulls ?? [], timeZone: map.timeZone };
  const mapped = new Set(Object.keys(map.fields));
  const fields = Object.entries(fieldsOf(map.kind)).flatMap(([name, field]) => {
    const rules = map.fields[name];
    if (rules === undefined) return [];
    const column = rules[0]?.column ?? name;
    return [{ name, column, required: field.required, fill: compileRules(rules, field, common) }];
  });
  return ({ fields: record, broken }) => {
    const values = new Map<string, Value>();
    const faults: Fault[] = broken === null ? [] : [{ column: '', value: '', reason: broken }];
    const passed: string[] = [];
    for (const { name, column, required, fill } of broken === null ? fields : []) {
      const filled = fill(record);
      if (filled.passed) passed.push(name);
      if (filled.value !== null) values.set(name, filled.value);
      else if (filled.fault !== null) faults.push(filled.fault);
      else if (required) faults.push({ column, value: '', reason: `is empty, and every row needs ${name}` });
    }
    return { values: new FieldValues(values, mapped), faults, passed };
  };
}

/** The faults of a row in one line. */
export function sentenceOf(faults: readonly Fault[]): string {
  return faults
    .map(({ column, value, reason }) => {
      const shown =
        value === '' ? '' : ` ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
      return `${column}${shown} ${reason}`.trim();
    })
    .join('; ');
}
