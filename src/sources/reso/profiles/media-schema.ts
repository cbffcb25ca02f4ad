// Shape of what a profile says of photos: where they come from, how they may be shown, and what requests for them carry.

import { type TSchema, Type } from 'typebox';
import { MEDIA_MODES } from '../../../listings/pictures/own-pictures.ts';

const strict = { additionalProperties: false };
const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });
const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** The place of the token of the source in the value of a header. */
export const TOKEN = '{token}';

const HeaderSchema = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9-]{0,63}$',
      description: 'In lower case, such as authorization.',
    }),
    value: Type.String({
      pattern: '^[!-~](?:[ -~]{0,998}[!-~])?$',
      description: `${TOKEN} in it is the token that requests for records carry: "Bearer ${TOKEN}".`,
    }),
    hosts: Type.Array(Type.String({ pattern: '^[a-z0-9.-]{1,253}$' }), {
      minItems: 1,
      maxItems: 20,
      description: 'Hosts that it may go to, over https; never another, nor where one of them redirects to.',
    }),
  },
  strict,
);

export const MediaSchema = Type.Object(
  {
    mode: orNull(
      oneOf(
        MEDIA_MODES,
        'link: shown from where the source has them; proxy: fetched by this service for its readers; copy: copied by it.',
      ),
      'How photos are shown; null: as the setting MEDIA says, where the profile permits that.',
    ),
    from: oneOf(
      ['expand', 'inline', 'resource', 'none'],
      'expand: $expand=Media; inline: a field of the record; resource: queries for Media; none: not read.',
    ),
    max: orNull(
      Type.Integer({ minimum: 1, maximum: 500 }),
      'Photos that an expansion requests by number; null: by none.',
    ),
    singleUse: Type.Boolean({
      description:
        'Whether the URL of a photo can be fetched once only: then none is stored or logged, and photos are shown as copies or not at all.',
    }),
    hotlink: Type.Boolean({
      description:
        'Whether pages of others may show photos from the servers of the source. False: they are fetched by this service, copied, or not shown.',
    }),
    request: oneOf(
      ['key', 'id'],
      'How the photos of one listing are requested where their URLs can be fetched once: by ListingKey, or by ListingId.',
    ),
    header: orNull(HeaderSchema, 'A header that requests for photos carry; null: none.'),
  },
  strict,
);
