// Schemas of the routes of pushing: parameters and answers.

import { Type } from 'typebox';
import { STATUSES, type Status } from '../listings/vocabulary.ts';

/** What a listing can end as that is no sale. */
const ENDINGS = ['WITHDRAWN', 'EXPIRED', 'CANCELED', 'DELETED'] as const satisfies readonly Status[];

export const SourceParams = Type.Object({
  source: Type.String({ minLength: 1, maxLength: 63, description: 'The id of the source of your token.' }),
});
export const ListingParams = Type.Object({
  ...SourceParams.properties,
  key: Type.String({
    minLength: 1,
    maxLength: 500,
    missing: 'LISTING_NOT_FOUND',
    description: 'Your key of the listing: stable, and unique within the source.',
  }),
});

const dryRun = Type.Optional(
  Type.Boolean({ description: 'True: nothing is written; the answer is what it would be. Default: false.' }),
);
export const OneQuery = Type.Object({ dryRun });
const status = Type.Optional(
  Type.Unsafe<(typeof ENDINGS)[number]>({
    type: 'string',
    enum: [...ENDINGS],
    description:
      'What it ends as. Default: WITHDRAWN. DELETED: it may no longer be shown, and its texts, people and photos are erased. ' +
      'A sale is no end: PATCH its status to CLOSED, with closePrice.',
  }),
);
const order = {
  sequence: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Your number of this message, as in records.',
    }),
  ),
  modifiedAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'Your time of the change, as in records.' }),
  ),
};
export const EndQuery = Type.Object({ status, ...order, dryRun });
export const SnapshotQuery = Type.Object({
  status,
  ...order,
  accept: Type.Optional(
    Type.Boolean({ description: 'True: you have looked, and what is missing ends however much it is.' }),
  ),
  dryRun,
});

const Version = Type.Integer({
  minimum: 1,
  description: 'Grows with each change of the listing; the ETag begins with it.',
});
const StatusSchema = Type.Unsafe<Status>({ type: 'string', enum: [...STATUSES] });
const Result = Type.Unsafe<string>({
  type: 'string',
  enum: ['created', 'changed', 'unchanged', 'superseded', 'ended'],
  description: '`superseded`: a newer message about it came before; the listing stays as that one says.',
});
const nullable = <T extends ReturnType<typeof Type.Unsafe>>(schema: T) => Type.Union([schema, Type.Null()]);

export const PushResultSchema = Type.Object(
  {
    object: Type.Literal('push_result'),
    key: Type.String(),
    result: Result,
    id: Type.String({ description: 'The id of the listing in all other endpoints.' }),
    version: Type.Union([Version, Type.Null()]),
    status: nullable(StatusSchema),
    dryRun: Type.Boolean(),
  },
  { $id: 'PushResult', description: 'What became of a pushed listing.' },
);
export const PhotoResultSchema = Type.Object(
  {
    object: Type.Literal('push_photo_result'),
    key: Type.String(),
    number: Type.Integer(),
    result: Type.Unsafe<string>({ type: 'string', enum: ['created', 'changed', 'unchanged', 'deleted'] }),
    id: Type.String({ description: 'The id of the listing in all other endpoints.' }),
    version: Version,
  },
  { $id: 'PushPhotoResult', description: 'What became of an uploaded photo.' },
);
export const StoredSchema = Type.Object(
  {
    object: Type.Literal('pushed_listing'),
    source: Type.String(),
    key: Type.String(),
    id: Type.Union([Type.String(), Type.Null()]),
    propertyId: Type.Union([Type.String(), Type.Null()]),
    version: Type.Union([Version, Type.Null()]),
    status: nullable(StatusSchema),
    sequence: Type.Union([Type.Integer(), Type.Null()]),
    modifiedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    receivedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    record: Type.Union([
      Type.Object(
        {},
        { additionalProperties: true, description: 'The record as you sent it, patches applied.' },
      ),
      Type.Null(),
    ]),
    faults: Type.Array(
      Type.Object({
        pointer: Type.String({ description: 'JSON pointer to the member.' }),
        detail: Type.String(),
        suggestion: Type.Optional(Type.String()),
      }),
      { description: 'What is wrong with the last record, if it was refused; the one before stays.' },
    ),
    refusedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { $id: 'PushedListingState', description: 'A pushed listing as it is stored.' },
);
export const SnapshotSchema = Type.Object(
  {
    object: Type.Literal('snapshot_result'),
    listed: Type.Integer({ description: 'Keys in your list.' }),
    stored: Type.Integer({ description: 'Listings of the source that have not ended.' }),
    missing: Type.Integer({ description: 'Those of them that your list lacks.' }),
    kept: Type.Integer({ description: 'Those that it lacks too, but about which a newer message came.' }),
    ended: Type.Integer(),
    examples: Type.Array(Type.String(), { description: 'Keys of the first that are missing.' }),
    dryRun: Type.Boolean(),
  },
  { $id: 'SnapshotResult', description: 'What a snapshot ended.' },
);
