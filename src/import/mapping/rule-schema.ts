// Rule of a map file: one way to fill a field from a record.

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { PERIODS, UNITS } from './numbers.ts';

export const Scalar = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: 20_000,
});

export const Mapped = Type.Unsafe<string | number | boolean | null | readonly string[]>({
  type: ['string', 'number', 'boolean', 'null', 'array'],
  items: { type: 'string' },
});

export const Column = Type.String({ maxLength: 500 });

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
    per: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: PERIODS })),
    default: Type.Optional(Mapped),
    lenient: Type.Optional(Type.Boolean()),
  },
  strict,
);

export type Rule = Static<typeof RuleSchema>;
