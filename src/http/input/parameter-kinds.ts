// Kinds of search parameters, as short constructors of their schemas.

import { type TArrayOptions, type TSchema, Type } from 'typebox';

export const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);
export const list = <S extends TSchema>(items: S, options: TArrayOptions = {}) => Type.Array(items, options);

/** Any of some names. */
export const names = (what: string, ...aliases: string[]) =>
  optional(list(Type.String({ maxLength: 120 }), { description: `${what}; not case-sensitive.`, aliases }));
/** Any of some ids, verbatim. */
export const ids = (what: string) =>
  optional(list(Type.String({ maxLength: 120 }), { description: `${what}.` }));
export const amount = (description: string, ...aliases: string[]) =>
  optional(Type.Number({ minimum: 0, maximum: 1e12, description, aliases }));
export const whole = (description: string, maximum: number, ...aliases: string[]) =>
  optional(Type.Integer({ minimum: 0, maximum, description, aliases }));
export const yesNo = (description: string, ...aliases: string[]) =>
  optional(Type.Boolean({ description, aliases }));
export const text = (description: string, maxLength: number, ...aliases: string[]) =>
  optional(Type.String({ maxLength, description, aliases }));
export const day = (description: string, ...aliases: string[]) =>
  optional(Type.String({ format: 'date', description: `${description}: a date.`, aliases }));
export const moment = (description: string, ...aliases: string[]) =>
  text(`${description}: a date, a time, or a duration before now (P7D).`, 40, ...aliases);

/** One of some words. */
export const choice = <T extends string>(
  values: readonly T[],
  description: string,
  more: { readonly aliases?: readonly string[] } = {},
) =>
  optional(
    Type.Unsafe<T>({ type: 'string', enum: [...values], caseInsensitive: true, description, ...more }),
  );

/** Any of some words. */
export const choices = <T extends string>(values: readonly T[], description: string, ...aliases: string[]) =>
  optional(
    list(Type.Unsafe<T>({ type: 'string', enum: [...values], caseInsensitive: true }), {
      description,
      aliases,
    }),
  );

/** A range as one text: `100:200`, `100:`, `:200` or `*:200`, or one number. */
export const range = (of: string, hints: readonly string[] = []) =>
  optional(
    Type.String({
      maxLength: 40,
      form: 'range',
      description: `${of}: a range such as 2:4, 2: or *:4, or one number; replaces its min and max.`,
      hints,
    }),
  );
