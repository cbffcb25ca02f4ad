// Description of the service as a whole in the OpenAPI document.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCOPES } from '../access/tiers/tiers.ts';
import type { Describe } from '../http/openapi/openapi.ts';
import { EXAMPLES } from './examples.ts';

/** The version of this package. */
export const VERSION = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
).version;

export const DESCRIBE: Omit<Describe, 'server'> = {
  title: 'Freehold',
  version: VERSION,
  description:
    'A property-listing API: search, areas, market statistics, properties by id, and a live stream for one ' +
    'listing. Send credentials as `Authorization: Bearer SERVICE-...`, or with an OAuth access token instead ' +
    'of the key. Searches, areas and market statistics also work without credentials, within tight limits. ' +
    'Keep keys in environment variables, never in client-side code, and use the lowest tier that suffices.',
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  tags: {
    Search: 'Search listings by place, price and type.',
    Areas: 'Named areas: counties, cities, neighbourhoods, postal codes.',
    Market: 'Market statistics: prices, supply and pace, by period and place.',
    Properties: 'A property with all its listings and their history.',
    Live: 'One listing, live from its source.',
    Account: 'Limits and usage of the caller.',
    OAuth: 'Client registration, consent and tokens.',
    Health: 'Liveness, readiness and metrics.',
    Service: 'Descriptions of this API.',
  },
};

/** What the document says of a service that is reached under this address. */
export function describeService(publicUrl: string): Omit<Describe, 'server'> {
  const scopes = Object.entries(SCOPES).map(([name, { description }]) => [name, description]);
  const oauth = {
    authorizationUrl: `${publicUrl}/oauth/authorize`,
    tokenUrl: `${publicUrl}/oauth/token`,
    scopes: Object.fromEntries(scopes),
  };
  return { ...DESCRIBE, oauth, examples: EXAMPLES };
}
