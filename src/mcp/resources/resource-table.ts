// Table of resources: the URIs that can be read, and the route that each reads.

import type { ResourceKind } from './resource-uri.ts';

interface Description {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

interface TemplateRow extends Description {
  /** Operation of the route. */
  readonly operation: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Whether its changes can be followed. */
  readonly hasUpdates: boolean;
}

export const TEMPLATES: Readonly<Record<ResourceKind, TemplateRow>> = {
  listing: {
    operation: 'getListing',
    name: 'listing',
    title: 'Listing',
    hasUpdates: true,
    description:
      'One offer of a home as it is stored, from the Pro tier on. Subscribe to be notified when it changes. The tool get_listing_live ' +
      'fetches it from its source.',
  },
  property: {
    operation: 'getProperty',
    name: 'property',
    title: 'Property',
    hasUpdates: false,
    query: { freshness: 'cached' },
    description: 'One home with its current listing as it is stored, by its own id or that of a listing.',
  },
  area: {
    operation: 'getArea',
    name: 'area',
    title: 'Area',
    hasUpdates: false,
    description:
      'A named area: its type, where it lies, and how many homes are on the market there. Ids complete by name.',
  },
  watcher: {
    operation: 'getWatcher',
    name: 'watcher',
    title: 'Watcher',
    hasUpdates: true,
    description:
      'One of your watchers: what it watches and its status. Subscribe to be notified of its events, which the tool ' +
      'get_watcher_events reads.',
  },
};

interface PlainRow extends Description {
  readonly uri: string;
  /** Operation of the route. */
  readonly operation: string;
}

export const METRICS_URI = 'freehold://metrics';
export const LIMITS_URI = 'freehold://limits';
export const VOCABULARY_URI = 'freehold://vocabulary';

/** What the vocabulary is read by: the features and kinds of the homes on the market. */
export const VOCABULARY = {
  operations: { sale: 'searchSales', rental: 'searchRentals' },
  query: { facets: ['features', 'propertyType'], limit: 1, fields: ['id'] },
  unknown:
    'The service knows nothing of the quality of schools, crime, noise, transit, travel times or the people who live somewhere: ' +
    'say so in place of a guess. Areas of the type school_district are boundaries only.',
} as const;

export const PLAIN_RESOURCES: readonly PlainRow[] = [
  {
    uri: METRICS_URI,
    operation: 'listMetrics',
    name: 'metrics',
    title: 'Market metrics',
    description: 'What each metric of the market means: its unit, its formula in words, its minimum sample.',
  },
  {
    uri: VOCABULARY_URI,
    operation: VOCABULARY.operations.sale,
    name: 'vocabulary',
    title: 'Vocabulary',
    description:
      'The features and property types that homes on the market have here, with how many have each, and what the service cannot know.',
  },
  {
    uri: LIMITS_URI,
    operation: 'getUsage',
    name: 'limits',
    title: 'Your tier and its limits',
    description: 'What your tier allows, what is used and left of it, and what each other tier allows.',
  },
];
