// Terms: what the licence of a source permits, as its profile and its operator say.

import { type Static, Type } from 'typebox';

const strict = { additionalProperties: false };

/** Who may see something, from nobody to everybody. */
export const AUDIENCES = ['off', 'subscribers', 'signed-in', 'public'] as const;
export type Audience = (typeof AUDIENCES)[number];

const audience = (description: string) =>
  Type.Unsafe<Audience>({ type: 'string', enum: [...AUDIENCES], description });

/** The marks of records that terms can name: the dictionary's FeedTypes, and those that vendors add. Their number bounds that of licences. */
export const MARKS = ['BBO', 'BO', 'IDX', 'PDAP', 'PT', 'VOW'] as const;
export type Mark = (typeof MARKS)[number];

/** What the line of a listing can name. */
export const PLACEHOLDERS = ['brokerage', 'agent', 'contact', 'source', 'copyright'] as const;

/**
 * Members of a record that terms can hide. What a listing cannot be without is not among them, nor what homes are recognised by, nor the
 * brokerage, which attribution names; an address is withheld by the display rules of each record.
 */
export const HIDEABLE = [
  'statusRaw',
  'closePrice',
  'monthlyCosts',
  'rental',
  'propertySubType',
  'bedrooms',
  'bathrooms',
  'rooms',
  'livingArea',
  'lotSize',
  'yearBuilt',
  'stories',
  'floor',
  'parkingSpaces',
  'garageSpaces',
  'features',
  'newConstruction',
  'waterfront',
  'saleConditions',
  'description',
  'photos',
  'virtualTourUrl',
  'openHouses',
  'agent',
  'expiresOn',
  'listingUrl',
  'daysOnMarketReported',
  'taxes',
  'building',
  'unitsTotal',
] as const;
export type Hideable = (typeof HIDEABLE)[number];

/** Texts that terms can require of a listing. */
export const REQUIRABLE = ['brokerage', 'agent', 'contact', 'copyright'] as const;
export type Requirable = (typeof REQUIRABLE)[number];

export const TermsSchema = Type.Object(
  {
    channels: Type.Object(
      {
        search: audience('Searches, properties and listings by id, counts of areas.'),
        stream: audience('Live streams of one listing.'),
        export: audience('CSV, JSON lines and the log of changes.'),
        watchers: audience('Watchers, their events, digests, feeds and webhooks.'),
        market: audience('Figures of the market, comparables and estimates.'),
        explorer: audience('The front page and the pages of the explorer, with their images.'),
        mcp: audience('Whatever agents read through the MCP endpoint.'),
      },
      {
        ...strict,
        description:
          'Whom each channel shows listings: nobody, people and programs with a subscription, all who are signed in, or everybody.',
      },
    ),
    marks: Type.Union(
      [
        Type.Object(
          {
            field: Type.String({
              pattern: '^[A-Za-z][A-Za-z0-9_]{0,99}$',
              description: 'Field of a record that lists its marks.',
            }),
            audiences: Type.Object(
              Object.fromEntries(MARKS.map((mark) => [mark, Type.Optional(audience(`Of ${mark}.`))])),
              {
                ...strict,
                description:
                  'Whom the explorer shows listings with a mark; the widest of a record’s marks counts.',
              },
            ),
            missing: Type.Unsafe<'withhold' | 'show'>({
              type: 'string',
              enum: ['withhold', 'show'],
              description: 'What a record without any of these marks is.',
            }),
          },
          strict,
        ),
        Type.Null(),
      ],
      { description: 'Marks of single records, which narrow the channels; null: there are none.' },
    ),
    maximumAge: Type.Union([Type.Integer({ minimum: 60, maximum: 31_536_000 }), Type.Null()], {
      description:
        'Seconds after the source was last read to its end from which its listings are not shown any more; null: however old.',
    }),
    attribution: Type.Union(
      [
        Type.String({
          minLength: 1,
          maxLength: 500,
          pattern: `^(?:[^{}]|\\{(?:${PLACEHOLDERS.join('|')})\\})*$`,
        }),
        Type.Null(),
      ],
      {
        description:
          'The line that is displayed with each listing. {brokerage}, {agent}, {contact}, {source} and {copyright} stand for its own; ' +
          'what is not known of it falls back to the brokerage, and that to the source. Null: what the record states, its brokerage and its source.',
      },
    ),
    disclaimer: Type.Union(
      [Type.String({ minLength: 1, maxLength: 1_000, pattern: '^(?:[^{}]|\\{source\\})*$' }), Type.Null()],
      {
        description:
          'Text that follows the line of each listing, and that of the source beside figures and lists. {source} is its name.',
      },
    ),
    logo: Type.Union([Type.String({ pattern: '^https://[^\\s"\'<>]{1,500}$' }), Type.Null()], {
      description: 'URL of the mark that is shown beside the line; https only.',
    }),
    hiddenFields: Type.Unsafe<readonly Hideable[]>({
      type: 'array',
      items: { type: 'string', enum: [...HIDEABLE] },
      uniqueItems: true,
      description:
        'Members of the record that are shown nowhere, and by which nothing is found, sorted or counted.',
    }),
    required: Type.Unsafe<readonly Requirable[]>({
      type: 'array',
      items: { type: 'string', enum: [...REQUIRABLE] },
      uniqueItems: true,
      description:
        'Texts without which a listing is withheld: the name of its brokerage, that of its agent, a way to reach either, the copyright.',
    }),
    forgetAfter: Type.Union([Type.Integer({ minimum: 3_600, maximum: 315_360_000 }), Type.Null()], {
      description:
        'Seconds after which what has left the source is forgotten with its history, and all of a source that is no longer set up; null: it stays.',
    }),
  },
  { ...strict, description: 'What the licence of the source permits.' },
);
type MarkTerms = {
  readonly field: string;
  readonly audiences: Readonly<Partial<Record<Mark, Audience>>>;
  readonly missing: 'withhold' | 'show';
};
export type Terms = Omit<Static<typeof TermsSchema>, 'marks'> & { readonly marks: MarkTerms | null };

/** Terms of listings that are the operator’s own: nobody else decides about them. */
export const OWN: Terms = {
  channels: {
    search: 'public',
    stream: 'public',
    export: 'public',
    watchers: 'public',
    market: 'public',
    explorer: 'public',
    mcp: 'public',
  },
  marks: null,
  maximumAge: null,
  attribution: null,
  disclaimer: null,
  logo: null,
  hiddenFields: [],
  required: [],
  forgetAfter: null,
};

/** What an operator states of a source that is theirs in all else. */
export const OwnTermsSchema = Type.Partial(
  Type.Object({
    channels: Type.Partial(TermsSchema.properties.channels, strict),
    marks: TermsSchema.properties.marks,
    maximumAge: TermsSchema.properties.maximumAge,
    attribution: TermsSchema.properties.attribution,
    disclaimer: TermsSchema.properties.disclaimer,
    logo: TermsSchema.properties.logo,
    hiddenFields: TermsSchema.properties.hiddenFields,
    required: TermsSchema.properties.required,
    forgetAfter: TermsSchema.properties.forgetAfter,
  }),
  { ...strict, description: 'What its licence permits; what is left out is permitted to everybody.' },
);
export type StatedTerms = Partial<Omit<Terms, 'channels'>> & {
  readonly channels?: Partial<Terms['channels']>;
};

/** The terms that are stated, and the operator's own beside them; null: nothing is stated. */
export const termsBeside = (stated: StatedTerms | undefined): Terms | null =>
  stated === undefined ? null : { ...OWN, ...stated, channels: { ...OWN.channels, ...stated.channels } };

/** What a listing has to be brought into line with before it is shown. */
export type Withholding = Pick<Terms, 'hiddenFields' | 'required'>;

/** Of listings of which nothing is withheld by terms. */
export const WITHHOLDS_NOTHING: Withholding = { hiddenFields: [], required: [] };

/** The same as texts, to be compared with what has been done. */
export const rulesOf = ({ hiddenFields, required }: Withholding): readonly string[] => [
  ...hiddenFields.map((name) => `hide ${name}`),
  ...required.map((name) => `require ${name}`),
];

/** Whether someone of the second audience is among the first. */
export const includes = (permitted: Audience, reader: Audience): boolean =>
  permitted !== 'off' && AUDIENCES.indexOf(permitted) >= AUDIENCES.indexOf(reader);

/** The narrower of two audiences. */
export const narrower = (one: Audience, other: Audience): Audience =>
  AUDIENCES.indexOf(one) <= AUDIENCES.indexOf(other) ? one : other;

/** The marks among what a record says that it may be used for, in order: with its source they are its licence. */
export function marksOf(permissions: readonly string[]): Mark[] {
  const stated = new Set(permissions.map((permission) => permission.toUpperCase()));
  return MARKS.filter((mark) => stated.has(mark));
}
