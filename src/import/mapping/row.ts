// Mapping of one record: every field filled, or every reason why the row is rejected.

import type { RecordFields, SourceRecord } from '../formats/record.ts';
import { fieldsOf, type ImportMap } from './map.ts';
import type { NumberColumn } from './numbers.ts';
import {
  compileRules,
  type Fault,
  type NumberColumns,
  type Rule,
  type RuleContext,
  surveyRule,
} from './rule.ts';
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

  /** Null where the field is empty. */
  get(field: string): Value | null {
    return this.#values.get(field) ?? null;
  }

  text(field: string): string | null {
    const value = this.#values.get(field);
    return typeof value === 'string' ? value : null;
  }

  number(field: string): number | null {
    const value = this.#values.get(field);
    return typeof value === 'number' ? value : null;
  }

  /** The texts of several fields by their names; `prefix` precedes each name in the map. */
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

const contextOf = ({ nulls = [], timeZone }: ImportMap, numbers: NumberColumns): RuleContext => ({
  nulls,
  timeZone,
  numbers,
});

const NO_COLUMNS: NumberColumns = new Map();

/** The reader of a map's records. `numbers`: what the file shows of its columns. */
export function compileMap(
  map: ImportMap,
  numbers: NumberColumns = NO_COLUMNS,
): (record: SourceRecord) => ReadRow {
  const context = contextOf(map, numbers);
  const mapped = new Set(Object.keys(map.fields));
  const fields = Object.entries(fieldsOf(map.kind)).flatMap(([name, field]) => {
    const rules = map.fields[name];
    if (rules === undefined) return [];
    const column = rules[0]?.column ?? name;
    return [{ name, column, required: field.required, fill: compileRules(rules, field, context) }];
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

/** The reader of single fields of a map; null for what is empty, cannot be read, or is not in the map. */
export function compileFields(
  map: ImportMap,
  names: readonly string[],
): (fields: RecordFields) => (Value | null)[] {
  const context = contextOf(map, NO_COLUMNS);
  const fills = names.map((name) => {
    const [rules, field] = [map.fields[name], fieldsOf(map.kind)[name]];
    return rules && field ? compileRules(rules, field, context) : null;
  });
  return (fields) => fills.map((fill) => fill?.(fields).value ?? null);
}

/** Collects what the records of a file show of its columns of numbers. */
export function surveyNumbers(map: ImportMap): {
  readonly columns: NumberColumns;
  add(fields: RecordFields): void;
} {
  const columns = new Map<Rule, NumberColumn>();
  const adds: ((fields: RecordFields) => void)[] = [];
  for (const [name, field] of Object.entries(fieldsOf(map.kind)))
    for (const rule of map.fields[name] ?? []) {
      const survey = surveyRule(rule, field, map.nulls ?? []);
      if (survey === null) continue;
      columns.set(rule, survey.column);
      adds.push(survey.add);
    }
  return {
    columns,
    add(fields) {
      for (const add of adds) add(fields);
    },
  };
}

/**
 * The test whether fields are a row that can be imported, beyond doubt: one value besides texts is of its field's kind. By a
 * map of texts alone every line would be one.
 */
export function usableTest(map: ImportMap): (fields: RecordFields) => boolean {
  const read = compileMap(map);
  const checked = Object.entries(fieldsOf(map.kind)).flatMap(([name, { kind }]) =>
    kind !== 'text' && map.fields[name]?.every((rule) => rule.constant === undefined) ? [name] : [],
  );
  return (fields) => {
    const { faults, values } = read({ ...NO_RECORD, fields });
    return faults.length === 0 && checked.some((name) => values.get(name) !== null);
  };
}

const NO_RECORD: SourceRecord = {
  row: 0,
  place: 0,
  fields: {},
  broken: null,
  geometry: null,
  rejectedText: () => '',
};

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
