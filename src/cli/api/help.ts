// Help of the commands of the API: examples from openapi.json, and what the groups are about.

import type { ApiCommand, Operation, Parameter } from './document.ts';

const GROUPS: Readonly<Record<string, string>> = {
  search: 'search sales and rentals',
  listing: 'read a stored listing',
  property: 'read properties: listings, history, comparables, estimates',
  areas: 'find areas and their boundaries',
  market: 'read figures of the market',
  watchers: 'create, change and read watchers',
  events: 'read the events of your watchers',
  changes: 'read the changes of all listings',
  usage: 'show your limits, and what you have used',
  push: 'push listings of your own',
  oauth: 'the authorization server, for who builds a client',
  health: 'check the service',
  openapi: 'get the OpenAPI document of the service',
};

/** Throws for a group that nobody has described. */
export function groupSummary(noun: string): string {
  const summary = GROUPS[noun];
  if (summary === undefined) throw new Error(`help.ts says nothing about ${noun}`);
  return summary;
}

/** Where the examples of the document would show little. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  searchSales: [
    '--city Ashcombe --max-price 500000 --min-bedrooms 2',
    '--area-id city-ashcombe --sort -price --limit 50 --csv > sales.csv',
    '--has-photos --all | wc -l',
    '--data search.json --table',
  ],
  searchRentals: ['--city Ashcombe --max-price 2500', '--pets cats --sort price --limit 5 --json'],
  streamEvents: ['--after now', '--ndjson | tee events.ndjson'],
  streamWatcherEvents: ['wat_8s2k4v6x0z1b3d5f7h9j --after now'],
  createWatcher: [
    '--name "Family homes" --target \'{"type":"property","propertyId":"prp_zkbnwfz6zjx26jh0hxpc"}\'',
    '--data watcher.json',
  ],
  updateWatcher: ['wat_8s2k4v6x0z1b3d5f7h9j --cadence daily'],
  rotateSecret: ['wat_8s2k4v6x0z1b3d5f7h9j'],
  patchListing: ['my-crm A-1027 --list-price 419000 --status PENDING'],
  putPhoto: ['my-crm A-1027 0 --data front.jpg'],
  listChanges: ['--after 0 --ndjson > changes.ndjson', '--after 48213 --table'],
};

/** Command lines, as `--help` shows them. */
export function examplesOf({ words, operation }: ApiCommand): string[] {
  const line = `freehold api ${words.join(' ')}`;
  return (EXAMPLES[operation.id] ?? [exampleOf(operation)]).map((rest) => `${line} ${rest}`.trim());
}

function exampleOf({ parameters, body }: Operation): string {
  const places = parameters.filter((parameter) => parameter.in === 'path').map(exampleValue);
  const required = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `--${flagOf(parameter)} ${exampleValue(parameter)}`);
  return [...places, ...required, ...(body?.isRequired ? ['--data body.json'] : [])].join(' ');
}

const flagOf = ({ name }: Parameter): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

const exampleValue = ({ example, schema }: Parameter): string =>
  [example ?? schema.enum?.[0] ?? 'ID'].flat().join(',');
