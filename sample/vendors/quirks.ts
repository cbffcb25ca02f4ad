// Quirks that a test switches on: the ways in which real servers surprise their clients.

export interface Quirks {
  /** $top is the number of all records, and no link follows. */
  readonly topIsTotal: boolean;
  /** Times are cut to whole seconds. */
  readonly wholeSeconds: boolean;
  /** So many links are refused as unknown from now on. */
  readonly staleLinks: number;
  /** Pages of more records take too long. */
  readonly slowAbove: number | null;
  /** Expanded photos are an empty list. */
  readonly emptyMedia: boolean;
  /** Children that an expansion has where no number is requested. */
  readonly expandCap: number | null;
  /** Seconds by which changes are published late. */
  readonly late: number;
  /** Numbers come as texts, single values as lists, and prices as "TBD". */
  readonly oddTypes: boolean;
  /** How an error is written. */
  readonly errors: 'own' | 'html' | 'text' | 'success';
  /** Keys that a list of keys has at most, without a link to the rest. */
  readonly truncatedKeys: number | null;
  /** Answers to a filter by ListingId are of another listing. */
  readonly unrelated: boolean;
  /** Names of fields that are served by another name. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Whether Lookup is there: absent is 404 and not in $metadata, refused is 403. */
  readonly lookups: 'served' | 'absent' | 'refused';
  /** Resources that are served by themselves, and not with a listing: EntityEvent, Media, OpenHouse, Member, Office. */
  readonly resources: readonly string[];
  /** Requests for photos as a resource are answered 500. */
  readonly deadMedia: boolean;
  /** So many requests from now on are answered by a gateway: HTML with this status. */
  readonly gateway: { readonly requests: number; readonly status: number } | null;
  /** So many requests from now on are refused by 429. */
  readonly refusals: number;
  /** Status of a query that takes too long. */
  readonly slowStatus: number;
  /** Queries by several keys find nothing. */
  readonly ignoresKeys: boolean;
  /** Links skip a number of records, and no more than this one. */
  readonly skipWall: number | null;
}

export const NO_QUIRKS: Quirks = {
  topIsTotal: false,
  wholeSeconds: false,
  staleLinks: 0,
  slowAbove: null,
  emptyMedia: false,
  expandCap: null,
  late: 0,
  oddTypes: false,
  errors: 'own',
  truncatedKeys: null,
  unrelated: false,
  renamed: {},
  lookups: 'served',
  resources: [],
  deadMedia: false,
  gateway: null,
  refusals: 0,
  slowStatus: 503,
  ignoresKeys: false,
  skipWall: null,
};

const EXAMPLES: Readonly<Record<keyof Quirks, readonly unknown[]>> = {
  topIsTotal: [true],
  wholeSeconds: [true],
  staleLinks: [1],
  slowAbove: [1, null],
  emptyMedia: [true],
  expandCap: [1, null],
  late: [1],
  oddTypes: [true],
  errors: ['own', 'html', 'text', 'success'],
  truncatedKeys: [1, null],
  unrelated: [true],
  renamed: [{}],
  lookups: ['served', 'absent', 'refused'],
  resources: [[]],
  deadMedia: [true],
  gateway: [{}, null],
  refusals: [1],
  slowStatus: [503],
  ignoresKeys: [true],
  skipWall: [1, null],
};

/** The quirks that a body of JSON switches on, others off; a sentence says what is wrong with it. */
export function readQuirks(body: Readonly<Record<string, unknown>>): Quirks | string {
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(EXAMPLES, name))
      return `${name} is not known; known: ${Object.keys(EXAMPLES).join(', ')}`;
    const examples = EXAMPLES[name as keyof Quirks];
    const fits = examples.some((example) =>
      typeof example === 'string' || example === null ? example === value : typeof example === typeof value,
    );
    if (!fits) return `${name} cannot be ${JSON.stringify(value)}`;
  }
  return { ...NO_QUIRKS, ...body };
}
