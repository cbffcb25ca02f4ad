// Schema of a file of sources: sources that programs push to, and sources that the service reads.

import { type Static, type TSchema, Type } from 'typebox';
import { OwnTermsSchema, type StatedTerms } from '../../licence/terms/terms.ts';
import { MEDIA_MODES, type MediaMode } from '../../listings/pictures/own-pictures.ts';
import { profileNames } from '../reso/profiles/profile.ts';
import { ProfileSchema } from '../reso/profiles/profile-schema.ts';

const strict = { additionalProperties: false };

/** An id that no source of a file can have: these are of the settings `SOURCE` and `RESO_*`. */
export const RESERVED: readonly string[] = ['reso', 'sample'];
export const ID_PATTERN = '^[a-z0-9][a-z0-9-]{0,62}$';
/** Names of environment variables. */
const VARIABLE = '^[A-Za-z_][A-Za-z0-9_]{0,127}$';
const MAX_SOURCES = 1_000;

const SecretSchema = Type.Union(
  [
    Type.String({ pattern: VARIABLE, description: 'The name of the environment variable that holds it.' }),
    Type.Object(
      { file: Type.String({ minLength: 1, maxLength: 1_000, description: 'The file that holds it.' }) },
      strict,
    ),
  ],
  { description: 'Where a secret is; never the secret itself.' },
);
export type SecretPlace = Static<typeof SecretSchema>;

const id = Type.String({
  pattern: ID_PATTERN,
  description: 'Stable: ids of listings are derived from it. Lower-case letters, digits and hyphens.',
});
const name = Type.String({ minLength: 1, maxLength: 200, description: 'As people read it.' });
const currency = Type.Optional(
  Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217: of records that state no currency.' }),
);
const timeZone = Type.Optional(
  Type.String({
    description:
      'IANA name: of times that are written without an offset. Default: UTC where programs push, else not known.',
  }),
);
const displayDefault = Type.Optional(
  Type.Unsafe<'show' | 'withhold'>({
    type: 'string',
    enum: ['show', 'withhold'],
    description: 'Whether listings without a display rule are shown. Default: show.',
  }),
);

const media = Type.Optional(
  Type.Unsafe<MediaMode>({
    type: 'string',
    enum: [...MEDIA_MODES],
    description:
      'How photos are shown: from where they are, fetched by this service for its readers, or copied by it. Default: the setting MEDIA.',
  }),
);

const licence = Type.Optional(Type.Unsafe<StatedTerms>(OwnTermsSchema));

/** One source that programs push to. */
export const PushSourceSchema = Type.Object(
  {
    id,
    name,
    kind: Type.Literal('push', { description: 'Programs push its listings over HTTP.' }),
    currency,
    timeZone,
    displayDefault,
    media,
    licence,
    map: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'A map file for records with other field names, relative to the file of sources.',
      }),
    ),
    secrets: Type.Optional(
      Type.Object(
        { token: Type.Optional(SecretSchema) },
        { ...strict, description: 'Where its secrets are.' },
      ),
    ),
  },
  { ...strict, title: 'A source that programs push to' },
);
export type PushSource = Static<typeof PushSourceSchema>;

/** One RESO Web API server that the service reads. */
export const ResoSourceSchema = Type.Object(
  {
    id,
    name,
    kind: Type.Optional(
      Type.Literal('reso', { description: 'The service reads it over the RESO Web API. The default.' }),
    ),
    profile: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: profileNames(),
        description: 'Whose servers these are. Default: standard, of which nothing particular is known.',
      }),
    ),
    url: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Root of its RESO Web API, which /Property follows.',
    }),
    currency,
    timeZone,
    displayDefault,
    refreshesPerMinute: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: 'Refreshes of watched listings in any minute; 0: none. Default: 60.',
      }),
    ),
    secrets: Type.Object(
      {
        bearerToken: Type.Optional(SecretSchema),
        tokenUrl: Type.Optional(SecretSchema),
        clientId: Type.Optional(SecretSchema),
        clientSecret: Type.Optional(SecretSchema),
      },
      {
        ...strict,
        description:
          'Where its credentials are: bearerToken, or clientId and clientSecret, with tokenUrl where the profile has none.',
      },
    ),
  },
  { ...strict, title: 'A source that the service reads' },
);
/** Members of the profile that the operator sets, in place of those of its file. */
export type Overrides = Readonly<Record<string, unknown>>;
export type ResoSource = Static<typeof ResoSourceSchema> & { readonly overrides: Overrides };

/** The same members, each of which may be left out. */
function partial(schema: TSchema): TSchema {
  const {
    anyOf,
    properties,
    required: _,
    ...rest
  } = schema as TSchema & {
    readonly anyOf?: readonly TSchema[];
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly required?: unknown;
  };
  if (anyOf !== undefined) return { ...rest, anyOf: anyOf.map(partial) };
  if (properties === undefined) return schema;
  const members = Object.entries(properties).map(([name, member]) => [name, partial(member)] as const);
  return { ...rest, properties: Object.fromEntries(members) };
}

export const { properties: ownMembers, required } = ResoSourceSchema as TSchema & {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required: readonly string[];
};
/** Members of a profile, which a source may set. */
export const overridden = (
  partial(ProfileSchema) as TSchema & { readonly properties: Readonly<Record<string, TSchema>> }
).properties;

/** `"media": "copy"` is short for `"media": {"mode": "copy"}`. */
const withMode = { ...overridden, media: { anyOf: [media, overridden.media] } };

/** A source of a file, by its kind. */
export type FileSource = PushSource | ResoSource;
export const isPush = (source: FileSource): source is PushSource => source.kind === 'push';

/** JSON Schema of a file of sources, as it is published. */
const SourcesFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    sources: Type.Array(
      Type.Union([
        PushSourceSchema,
        {
          ...strict,
          title: 'A source that the service reads',
          description: 'Members of the profile may be set besides: they count in place of those of its file.',
          type: 'object',
          required,
          properties: { ...ownMembers, ...withMode },
        },
      ]),
      { maxItems: MAX_SOURCES },
    ),
  },
  {
    ...strict,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Sources of a Freehold service',
    description: 'What SOURCES_FILE names, and `freehold sources apply` reads.',
  },
);
/** The file around its sources: each of these is judged by the schema of its kind, so that its faults are its own. */
export const FrameSchema = Type.Object(
  { $schema: Type.Optional(Type.String()), sources: Type.Array(Type.Unknown(), { maxItems: MAX_SOURCES }) },
  strict,
);

/** The JSON Schema of a file of sources, as it is published in docs/. */
export const schemaText = (): string => `${JSON.stringify(SourcesFileSchema, null, 2)}\n`;
