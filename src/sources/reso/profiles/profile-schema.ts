// Shape of a profile: how the servers of one vendor are read, as data.

import { type Static, type TSchema, Type } from 'typebox';
import { type Terms, TermsSchema } from '../../../licence/terms/terms.ts';
import { MediaSchema } from './media-schema.ts';

const strict = { additionalProperties: false };
const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });
const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const texts = (description: string) =>
  Type.Record(Type.String(), Type.String({ maxLength: 1_000 }), { description });
const count = (description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: 1_000_000_000_000, description });
const flag = (description: string) => Type.Boolean({ description });
const field = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,99}$' });
const path = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_/]{0,199}$',
  description: 'Path of the query, below the root.',
});
const filter = Type.String({ minLength: 1, maxLength: 4_000 });

const WindowSchema = Type.Object(
  {
    seconds: count('Length of the window.'),
    requests: Type.Optional(count('Requests that it may have.')),
    bytes: Type.Optional(count('Bytes of answers that it may have.')),
  },
  { ...strict, description: 'What a window of time may have: requests, bytes, or both.' },
);

const QuotaHeadersSchema = Type.Object(
  {
    seconds: count('Length of the window that the headers are about.'),
    limit: orNull(Type.String(), 'Header with the number of requests that the window may have.'),
    remaining: orNull(Type.String(), 'Header with the number that is left.'),
  },
  strict,
);

/** How the pages of one kind of query are read. */
const QuerySchema = Type.Object(
  {
    path,
    parameters: texts('Parameters that this query has besides.'),
    filter: orNull(filter, 'Condition that this query has besides.'),
    order: oneOf(
      ['requested', 'watermark', 'key', 'none'],
      'requested: sorted by watermark and key, with $orderby; watermark, key: how the server sorts by itself; none: in no order to rely on.',
    ),
    links: oneOf(['body', 'header'], 'Where the next page is named: @odata.nextLink, or the header Link.'),
    end: oneOf(['no-link', 'empty-page'], 'What ends the pages: no link, or a page without records.'),
    size: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000 }), 'Records a page; null: page.size.'),
  },
  strict,
);

export const ProfileSchema = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 200, description: 'As people read it.' }),
    recognize: Type.Object(
      {
        hosts: Type.Array(Type.String(), { description: 'Hosts, or domains, of its servers.' }),
        fields: Type.Array(field, { description: 'Fields of Property that no other vendor has.' }),
        headers: Type.Array(Type.String(), { description: 'Headers of answers that no other vendor sends.' }),
        numericErrors: flag('Whether codes of errors are numbers.'),
      },
      { ...strict, description: 'What `freehold sources test` knows its servers by.' },
    ),
    authentication: Type.Object(
      {
        kind: oneOf(['bearer', 'client', 'any'], 'A fixed token, client credentials, or either.'),
        tokenUrl: orNull(
          Type.String({ pattern: '^https?://' }),
          'Default for the address that issues tokens.',
        ),
        scope: Type.String({ minLength: 1, maxLength: 200, description: 'Scope of client credentials.' }),
      },
      strict,
    ),
    originatingSystem: orNull(
      Type.String({ minLength: 1, maxLength: 200 }),
      'Only records of this OriginatingSystemName are read.',
    ),
    filter: orNull(filter, 'Condition of every query for records, such as a status.'),
    headers: texts('Headers of every request.'),
    parameters: texts('Parameters of every query for records.'),
    query: Type.Object(
      {
        select: flag('Whether $select may be sent.'),
        expand: flag('Whether $expand may be sent.'),
        orderBy: flag('Whether $orderby may be sent.'),
        in: flag('Whether conditions may say "in".'),
        or: Type.Integer({
          minimum: 0,
          maximum: 200,
          description:
            'Keys that a condition without "in" may join by "or"; 0: records are requested one by one.',
        }),
        originatingSystem: oneOf(
          ['required', 'optional'],
          'Whether every query, $metadata included, must name one OriginatingSystemName.',
        ),
        negotiate: flag('Whether parts of a query that the server refuses are found by trying.'),
        slowErrors: Type.Array(Type.String(), {
          description: 'Codes of errors which say that a query takes too long.',
        }),
      },
      strict,
    ),
    page: Type.Object(
      {
        by: oneOf(
          ['prefer', 'top'],
          'How a size is requested: Prefer: odata.maxpagesize, or $top where that is the size of a page.',
        ),
        size: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Records a page.' }),
        expandedSize: orNull(
          Type.Integer({ minimum: 1, maximum: 1_000_000 }),
          'Records a page where children are expanded; null: the same.',
        ),
      },
      strict,
    ),
    load: Type.Object(
      {
        ...QuerySchema.properties,
        mode: oneOf(
          ['records', 'keys'],
          'records: page by page; keys: every key first, then the records of a few keys at a time.',
        ),
        count: oneOf(
          ['page', 'apart', 'none'],
          'How the number of all records is requested: with the first page, by itself, or not at all.',
        ),
      },
      strict,
    ),
    changes: QuerySchema,
    watermark: Type.Object(
      {
        field,
        overlap: Type.Integer({
          minimum: 0,
          maximum: 86_400,
          description: 'Seconds by which the server may publish a change late.',
        }),
        literal: Type.Optional(
          oneOf(
            ['plain', 'quoted'],
            'How times stand in conditions: as they are, as OData 4 has them, or in quotes. Default: plain.',
          ),
        ),
      },
      strict,
    ),
    deletes: Type.Object(
      {
        flag: orNull(field, 'Field that is false where a record may no longer be shown.'),
        sweep: Type.Union([
          Type.Object(
            {
              hours: Type.Number({ minimum: 0.1, maximum: 8_760, description: 'Hours between two sweeps.' }),
              path,
              size: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Keys a page.' }),
              watermark: flag(
                'Whether the watermark is requested with each key, so that missed changes are found.',
              ),
            },
            { ...strict, description: 'All keys are compared; what is missing there is gone.' },
          ),
          Type.Null(),
        ]),
      },
      strict,
    ),
    live: Type.Union([
      Type.Literal(false, { description: 'Single listings must not be requested.' }),
      Type.Object(
        {
          root: orNull(
            Type.String({ pattern: '^https?://' }),
            'Root for single listings; null: that of all.',
          ),
          forms: Type.Array(
            oneOf(
              ['entity', 'key', 'id'],
              "entity: Property('key'); key: a filter by ListingKey; id: a filter by ListingId.",
            ),
            { minItems: 1, maxItems: 3, uniqueItems: true },
          ),
        },
        { ...strict, description: 'How one listing is requested: the forms are tried in this order.' },
      ),
    ]),
    media: MediaSchema,
    openHouses: Type.Object(
      {
        from: oneOf(
          ['expand', 'resource', 'offered', 'none'],
          'expand: $expand=OpenHouse; resource: queries for OpenHouse; offered: as $metadata has them, expanded if possible; none: not read.',
        ),
      },
      strict,
    ),
    contacts: Type.Object(
      {
        from: oneOf(
          ['record', 'resource', 'offered'],
          'Names and telephones of agents and offices. record: fields of the listing; resource: queries for Member and Office; offered: these where the listing has keys alone and $metadata has the resources.',
        ),
      },
      strict,
    ),
    events: Type.Object(
      {
        from: oneOf(
          ['resource', 'offered', 'none'],
          'The log of EntityEvents. resource: it is read; offered: it is where $metadata has it; none: it is not.',
        ),
        backstop: Type.Integer({
          minimum: 60,
          maximum: 604_800,
          description: 'Seconds between two rounds of changes by watermark where events are read.',
        }),
      },
      strict,
    ),
    lookups: Type.Object(
      {
        from: oneOf(
          ['resource', 'offered', 'none'],
          'What the source says of its values, in the resource Lookup. resource: it is read; offered: it is where $metadata has it; none: it is not.',
        ),
      },
      strict,
    ),
    enumerationTexts: oneOf(
      ['none', 'metadata'],
      'metadata: values are names whose texts are annotations in $metadata; none: they are texts already.',
    ),
    fields: Type.Record(field, field, {
      description:
        'Fields of the source that have other names than those of the dictionary: {"LivingSqFt": "LivingArea"}.',
    }),
    enumerations: Type.Record(
      field,
      Type.Record(Type.String({ maxLength: 200 }), Type.String({ minLength: 1, maxLength: 200 })),
      {
        description:
          'Values of the source that are others than those of the dictionary, by its fields: {"StandardStatus": {"Actv": "Active"}}.',
      },
    ),
    licence: TermsSchema,
    raw: oneOf(
      ['keep', 'none'],
      'Whether what the source sends is stored as it came, so that it can be mapped again without a request.',
    ),
    volatile: Type.Array(
      Type.String({ pattern: '^[A-Za-z@][A-Za-z0-9_.@]{0,99}(/[A-Za-z@][A-Za-z0-9_.@]{0,99})?$' }),
      {
        maxItems: 200,
        description:
          'Members that differ each time a record is sent, or must not be stored: they are neither compared, mapped nor kept. Media/MediaURL: one of the records in Media.',
      },
    ),
    limits: Type.Object(
      {
        windows: Type.Array(WindowSchema, { maxItems: 10 }),
        media: Type.Union([Type.Literal('shared'), Type.Array(WindowSchema, { maxItems: 10 })], {
          description: 'shared: downloads of photos count as requests; else their own windows.',
        }),
        suspends: flag('Whether the vendor suspends the token of a client that exceeds them.'),
        headers: Type.Array(QuotaHeadersSchema, { maxItems: 10 }),
      },
      strict,
    ),
  },
  { ...strict, description: 'How the servers of one vendor are read.' },
);
/** With the name of its file. */
export type Profile = Omit<Static<typeof ProfileSchema>, 'licence'> & {
  readonly licence: Terms;
  readonly name: string;
};
