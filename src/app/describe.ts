// Owns what the OpenAPI document says about the service as a whole.

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
    'Property listings: search, areas, property by id, and a live stream for one listing. Send credentials as ' +
    '`Authorization: Bearer SERVICE-...`, or an OAuth access token in its place; searches and areas also answer without, within tight limits. Keep keys in ' +
    'environment variables and never in client-side code, and use the lowest tier that suffices.',
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  tags: {
    Search: 'Listings by place, price and kind, page by page.',
    Areas: 'Places with a name: counties, cities, neighbourhoods, postal codes.',
    Market: 'Figures over many listings: prices, supply, pace, by period and place.',
    Properties: 'A place with all its listings and what happened to them.',
    Live: 'One listing, fresh from its source.',
    Account: 'What a caller may use and has used.',
    OAuth: 'Where tokens come from: how clients register, ask somebody for consent, and get them.',
    Health: 'Whether the service lives, is ready, and how it fares.',
    Service: 'Descriptions of the service itself.',
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
