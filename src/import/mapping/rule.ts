// Rule of a map file: its schema, the raw value it takes from a record, and the field's value.

import { type Static, Type } from 'typebox';
import { areaUnitOf } from '../../listings/area-units.ts';
import type { RecordFields } from '../formats/record.ts';
import { ADDRESS_PARTS, type AddressPart, addressParts } from './address-parts.ts';
import { type Field, LIST_KINDS, NUMBER_KINDS, Unreadable } from './fields.ts';
import { itemsOf, textOf } from './items.ts';
import { compileNumberText, NUMBER_PARTS } from './number-text.ts';
import { NumberColumn, readNumber } from './numbers.ts';
import { projectionName, unproject } from './projections.ts';
import { PERIODS, readItems, readScalar, UNITS, type Value, type Writing } from './values.ts';

const Scalar = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: 20_000,
});

const Mapped = Type.Unsafe<string | number | boolean | null | readonly string[]>({
  type: ['string', 'number', 'boolean', 'null', 'array'],
  items: { type: 'string' },
});

const Column = Type.String({ maxLength: 500 });

export const strict = { additionalProperties: false };

const WhenSchema = Type.Object(
  {
    column: Column,
    is: Type.Optional(Type.Array(Scalar, { minItems: 1 })),
    isNot: Type.Optional(Type.Array(Scalar, { minItems: 1 })),
  },
  strict,
);

/** One way to fill a field. */
export const RuleSchema = Type.Object(
  {
    column: Type.Optional(Column),
    columns: Type.Optional(Type.Array(Column, { minItems: 1 })),
    constant: Type.Optional(Mapped),
    join: Type.Optional(Type.String({ maxLength: 20 })),
    prefix: Type.Optional(Type.String({ maxLength: 100 })),
    when: Type.Optional(WhenSchema),
    values: Type.Optional(Type.Record(Type.String(), Mapped)),
    nulls: Type.Optional(Type.Array(Type.String())),
    format: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
    separator: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    unit: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: UNITS })),
    unitColumn: Type.Optional(Column),
    unitInCell: Type.Optional(Type.Boolean()),
    part: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...ADDRESS_PARTS, ...NUMBER_PARTS] })),
    factor: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e12 })),
    suffixes: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Number({ exclusiveMinimum: 0, maximum: 1e12 })),
    ),
    projection: Type.Optional(Type.String({ maxLength: 20 })),
    per: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: PERIODS })),
    default: Type.Optional(Mapped),
    lenient: Type.Optional(Type.Boolean()),
  },
  strict,
);

export type Rule = Static<typeof RuleSchema>;

/** Why a row is rejected: the column, its value, and what is wrong with it. */
export interface Fault {
  readonly column: string;
  readonly value: string;
  readonly reason: string;
  /** What the value should be; absent for a fault of the whole row. */
  readonly field?: Field;
}

/** The result of filling one field. */
export interface Filled {
  readonly value: Value | null;
  readonly fault: Fault | null;
  /** True when an unreadable value was passed over, as the map allows. */
  readonly passed: boolean;
}

/** What a file shows of the columns of numbers, by their rules. */
export type NumberColumns = ReadonlyMap<Rule, NumberColumn>;

/** What the rules of a map share. */
export interface RuleContext {
  readonly nulls: readonly string[];
  readonly timeZone: string | undefined;
  readonly numbers: NumberColumns;
}

export type FillField = (record: RecordFields) => Filled;

const EMPTY: Filled = { value: null, fault: null, passed: false };
const filled = (value: Value): Filled => ({ value, fault: null, passed: false });

/** Compiles the rules of a field: the first that applies and yields a value or a fault counts. */
export function compileRules(rules: readonly Rule[], field: Field, context: RuleContext): FillField {
  const fills = rules.map((rule) => compileRule(rule, field, context));
  return (record) => {
    let last = EMPTY;
    for (const fill of fills) {
      last = fill(record);
      if (last.value !== null || last.fault !== null) return last;
    }
    return last;
  };
}

function compileRule(rule: Rule, field: Field, { nulls, timeZone, numbers }: RuleContext): FillField {
  const { format, per } = rule;
  const column = numbers.get(rule) ?? new NumberColumn();
  const writing: Writing = { format, per, timeZone, column };
  // A number of JSON is what it is.
  const typed: Writing = { per, timeZone };
  const takeUnit = compileUnit(rule);
  const applies = compileCondition(rule.when);
  if (rule.constant !== undefined) {
    const constant = fixed(rule.constant, field, timeZone);
    return (record) => (applies(record) ? constant : EMPTY);
  }
  if (rule.projection !== undefined) return compileProjected(rule, field, applies, nulls);
  const take = compileTake(rule, field);
  const numberText = compileNumberText(rule, field.kind);
  const addressPart = partOfAddress(rule);
  const empty = new Set(['', ...nulls, ...(rule.nulls ?? [])]);
  const values = new Map(Object.entries(rule.values ?? {}));
  const fallback = fixed(rule.default ?? null, field, timeZone);
  const split = { separator: rule.separator ?? ',', empty, values };

  function fill(record: RecordFields): Filled {
    const raw = take(record);
    const text = textOf(raw);
    if (text === null || empty.has(text)) return fallback;
    try {
      const meant = values.get(text);
      if (meant === null) return fallback;
      if (meant !== undefined) return filled(readRaw(meant, field, { timeZone }));
      if (LIST_KINDS.includes(field.kind))
        return filled(readItems(itemsOf(raw, text, split), field, timeZone));
      if (addressPart !== null) {
        const part = addressParts(text)[addressPart];
        return part === undefined ? fallback : filled(readScalar((rule.prefix ?? '') + part, field, writing));
      }
      const number = numberText?.(text);
      const value = readScalar((rule.prefix ?? '') + (number?.text ?? text), field, {
        ...(typeof raw === 'number' ? typed : writing),
        unit: number?.unit ?? takeUnit(record),
        factor: number?.factor,
      });
      return value === 0 && field.zeroIsNone ? fallback : filled(value);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (rule.lenient) return { ...fallback, passed: true };
      const fault = { column: nameOf(rule), value: text, reason: error.message, field };
      return { value: null, fault, passed: false };
    }
  }
  return (record) => (applies(record) ? fill(record) : EMPTY);
}

/** The part of an address that a rule takes; null where it takes all of the text, or a number. */
const partOfAddress = ({ part }: Rule): AddressPart | null =>
  ADDRESS_PARTS.find((name) => name === part) ?? null;

/** Latitude or longitude of a point whose two columns, east and north, are in metres. */
function compileProjected(
  rule: Rule,
  field: Field,
  applies: (record: RecordFields) => boolean,
  nulls: readonly string[],
): FillField {
  const { columns: [x = '', y = ''] = [], projection = '', format } = rule;
  const empty = new Set(['', ...nulls, ...(rule.nulls ?? [])]);
  const isLatitude = field.max === 90;
  return (record) => {
    const texts = [textOf(record[x]) ?? '', textOf(record[y]) ?? ''] as const;
    if (!applies(record) || texts.some((text) => empty.has(text))) return EMPTY;
    try {
      const [east, north] = [readNumber(texts[0], format), readNumber(texts[1], format)];
      // Zero and zero is how files write that a place is not known.
      if (east === 0 && north === 0) return EMPTY;
      const point = unproject(projection, east, north);
      if (point === null) throw new Unreadable(`is no point of ${projectionName(projection)}`);
      return filled(point[isLatitude ? 1 : 0]);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (rule.lenient) return { ...EMPTY, passed: true };
      const fault = { column: nameOf(rule), value: texts.join(', '), reason: error.message, field };
      return { value: null, fault, passed: false };
    }
  };
}

/** Adds the texts that a rule reads as numbers to what is known of its column; null for another rule. */
export function surveyRule(
  rule: Rule,
  { kind }: Field,
  nulls: readonly string[],
): { readonly column: NumberColumn; add(record: RecordFields): void } | null {
  const name = rule.column;
  if (name === undefined || !NUMBER_KINDS.includes(kind)) return null;
  const applies = compileCondition(rule.when);
  const empty = new Set(['', ...nulls, ...(rule.nulls ?? [])]);
  const numberText = compileNumberText(rule, kind);
  const column = new NumberColumn();
  return {
    column,
    add(record) {
      const raw = record[name];
      if (typeof raw !== 'string' || !applies(record)) return;
      const text = raw.trim();
      if (!empty.has(text) && !Object.hasOwn(rule.values ?? {}, text))
        column.add(numberText?.(text).text ?? text);
    },
  };
}

/** The unit that a record states for itself, else the rule's; square feet where neither is named. Throws Unreadable. */
function compileUnit({ unit, unitColumn }: Rule): (record: RecordFields) => string | undefined {
  if (unitColumn === undefined) return () => unit;
  return (record) => {
    const text = textOf(record[unitColumn]) ?? '';
    const stated = text === '' ? unit : areaUnitOf(text);
    if (stated !== undefined) return stated;
    throw new Unreadable(
      text === ''
        ? `has no unit, as ${unitColumn} is empty (say with "unit" what it is then)`
        : `is in ${JSON.stringify(text.slice(0, 60))}, which is none of ${UNITS.join(', ')}`,
    );
  };
}

const nameOf = ({ column, columns }: Rule): string =>
  column === '' ? 'the column without a name' : (column ?? columns?.join(' + ') ?? '');

function fixed(
  value: Exclude<Rule['constant'], undefined>,
  field: Field,
  timeZone: string | undefined,
): Filled {
  return value === null ? EMPTY : filled(readRaw(value, field, { timeZone }));
}

/** Reads a value of the map itself. Throws Unreadable. */
export function readRaw(
  value: Exclude<Rule['constant'], undefined | null>,
  field: Field,
  writing: Writing,
): Value {
  if (!LIST_KINDS.includes(field.kind)) {
    if (typeof value === 'object') throw new Unreadable('is a list, and one value is wanted');
    return readScalar(String(value), field, writing);
  }
  return readItems(typeof value === 'object' ? value : [String(value)], field, writing.timeZone);
}

function compileCondition(when: Rule['when']): (record: RecordFields) => boolean {
  if (when === undefined) return () => true;
  const listed = new Set((when.is ?? when.isNot ?? []).map((value) => textOf(value) ?? ''));
  const wanted = when.is !== undefined;
  return (record) => listed.has(textOf(record[when.column]) ?? '') === wanted;
}

/** The raw value of a record. Of several columns the empty ones are left out, but a key needs all of them. */
function compileTake(rule: Rule, { kind, required }: Field): (record: RecordFields) => unknown {
  const { column, columns = [], join = '' } = rule;
  if (column !== undefined) return (record) => record[column];
  if (LIST_KINDS.includes(kind)) {
    return (record) => columns.flatMap((name) => record[name]).filter((item) => textOf(item));
  }
  return (record) => {
    const texts = columns.map((name) => textOf(record[name])).filter((text) => text !== null && text !== '');
    return required && texts.length < columns.length ? null : texts.join(join);
  };
}
