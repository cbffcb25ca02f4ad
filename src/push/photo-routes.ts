// Routes of /v1/sources/{source}/listings/{key}/photos: photos that programs upload, and remove.

import type { IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { type Principal, PUSH } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { FORMATS } from '../media/pictures/image-head.ts';
import { deletePhoto, putPhoto } from './photos.ts';
import type { FindContext } from './push-parts.ts';
import { ListingParams, PhotoResultSchema } from './push-schemas.ts';

const TYPES = FORMATS.map((format) => `image/${format}` as const);

const PhotoParams = Type.Object({
  source: ListingParams.properties.source,
  key: ListingParams.properties.key,
  number: Type.Integer({
    minimum: 0,
    maximum: PUSH.photos - 1,
    description: 'The place of the photo among those that are uploaded; the lowest is the primary photo.',
  }),
});

const common = {
  tag: 'Push',
  path: '/v1/sources/:source/listings/:key/photos/:number',
  access: { credentials: 'required', source: true, counts: 'push' },
  params: PhotoParams,
} as const;
const answer = { description: 'What became of it', schema: PhotoResultSchema } as const;
const MISSING = 'The source has no listing with this key, or it may not be shown any more';

export function photoRoutes(find: FindContext): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      ...common,
      method: 'PUT',
      operation: 'putPhoto',
      summary: 'Upload a photo',
      description:
        `The bytes of one photo, at most ${PUSH.photoBytes / 1_000_000} MB and 50 megapixels. It is decoded before it is acknowledged, and loses its ` +
        'metadata but the copyright. What stands under the number is replaced; the same photo again changes nothing. Records that ' +
        'are pushed later leave uploads as they are.',
      codes: ['CONFLICT', 'OVERLOADED'],
      body: Type.String({ format: 'binary' }),
      ownBody: 'stream',
      bodyBytes: PUSH.photoBytes,
      consumes: TYPES,
      answer,
      alsoAnswers: { 201: 'The photo is new', 404: MISSING },
      async handle({ caller, params, headers, body, signal }) {
        const context = await find(caller, params.source);
        const request = body as unknown as IncomingMessage;
        return putPhoto(context, params, { request, headers, signal });
      },
    }),
    route<Principal>()({
      ...common,
      method: 'DELETE',
      operation: 'deletePhoto',
      summary: 'Remove an uploaded photo',
      description:
        'Its file goes within seconds, unless another listing has the same. Where there is none, nothing changes.',
      codes: ['CONFLICT'],
      answer,
      alsoAnswers: { 404: MISSING },
      handle: async ({ caller, params }) => deletePhoto(await find(caller, params.source), params),
    }),
  ];
}
