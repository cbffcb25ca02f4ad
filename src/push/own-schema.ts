// Schema of pushed records in our own field names, which documents them: the reader of records finds what is wrong.

import { type TSchema, Type } from 'typebox';
import type { Field, Kind } from '../import/mapping/fields.ts';
import { GROUPS, MODIFIED_AT, OWN, SEQUENCE, TOP, TYPES } from './own-fields.ts';

const SCHEMAS: Partial<Readonly<Record<Kind, (field: Field) => TSchema>>> = {
  choice: ({ choices = [] }) => Type.Unsafe<string>({ type: 'string', enum: [...choices] }),
  currency: () => Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  url: () => Type.String({ format: 'uri' }),
  integer: () => Type.Integer(),
  boolean: () => Type.Boolean(),
  date: () => Type.String({ format: 'date' }),
  time: () => Type.String({ format: 'date-time' }),
  timeOrDate: () => Type.String({ description: 'RFC 3339, or a date.' }),
  area: () => Type.Number({ description: 'Square feet.' }),
  monthlyMoney: () => Type.Number({ description: 'A month.' }),
  list: () => Type.Array(Type.String()),
  slugs: () => Type.Array(Type.String()),
  urls: () =>
    Type.Array(
      Type.Union([
        Type.String({ format: 'uri' }),
        Type.Object({
          url: Type.String({ format: 'uri' }),
          caption: Type.Optional(Type.String({ maxLength: 500 })),
        }),
      ]),
    ),
  amounts: () => Type.Array(Type.Object({ type: Type.String(), amount: Type.Optional(Type.Number()) })),
  intervals: () =>
    Type.Array(
      Type.Object({
        startsAt: Type.String({ format: 'date-time' }),
        endsAt: Type.Optional(Type.String({ format: 'date-time' })),
      }),
    ),
};

function schemaOf(field: Field): TSchema {
  const make = SCHEMAS[field.kind];
  if (make !== undefined) return make(field);
  return TYPES[field.kind] === 'number' ? Type.Number() : Type.String({ maxLength: field.maxLength ?? 500 });
}

type Member = (schema: TSchema) => TSchema;

function schemaOfMembers(names: readonly string[], member: Member, prefix = ''): Record<string, TSchema> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = OWN.get(prefix + name);
      return field === undefined ? [] : [[name, member(schemaOf(field))]];
    }),
  );
}

const membersOf = (member: Member): Record<string, TSchema> => ({
  ...schemaOfMembers(TOP, member),
  ...Object.fromEntries(
    [...GROUPS].map(([group, members]) => [
      group,
      member(Type.Object(schemaOfMembers(members, member, `${group}.`))),
    ]),
  ),
  [SEQUENCE]: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Your number of this message: of two messages about a listing the greater one counts.',
    }),
  ),
  [MODIFIED_AT]: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Your time of the change, to the millisecond, where you have no `sequence`: the later one counts.',
    }),
  ),
});

/** A record in our own field names, for the OpenAPI document. */
export const PushedRecordSchema = Type.Object(
  membersOf((schema) => Type.Optional(schema)),
  {
    $id: 'PushedListing',
    description:
      'A listing in the field names of this service. `listingType`, `status`, `propertyType` and `currency` are needed; a ' +
      'source with a map takes records in its own field names instead.',
  },
);

/** A merge patch of such a record, for the OpenAPI document. */
export const PatchSchema = Type.Object(
  membersOf((schema) => Type.Optional(Type.Union([schema, Type.Null()]))),
  {
    $id: 'ListingPatch',
    description: 'What changes of a record as it was sent; `null` removes a member.',
  },
);
